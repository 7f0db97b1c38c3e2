"""A plug-in of pytest that chooses tests by a hash of their names: --sample N keeps N of those that differ in their parameters
alone, --one-in N one in N."""

import hashlib
from collections import defaultdict


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, default=0)
    parser.addoption("--one-in", type=int, default=1)


def digest_of(item):
    return hashlib.md5(item.nodeid.encode()).digest()


def pytest_collection_modifyitems(config, items):
    most, one_in = config.getoption("--sample"), config.getoption("--one-in")
    functions = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    kept = set()
    for tests in functions.values():
        tests.sort(key=digest_of)
        kept.update(tests[:most] if most else tests)
    # Names without their files, which may lie in any folder.
    kept = {item for item in kept if int(hashlib.md5(item.name.encode()).hexdigest(), 16) % one_in == 0}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
