"""A plug-in of pytest: --sample N keeps N of the tests that differ in their parameters alone, chosen by a hash of their names."""

import hashlib
from collections import defaultdict


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, default=0)


def pytest_collection_modifyitems(config, items):
    most = config.getoption("--sample")
    functions = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    kept = set()
    for tests in functions.values():
        tests.sort(key=lambda item: hashlib.md5(item.nodeid.encode()).digest())
        kept.update(tests[:most] if most else tests)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
