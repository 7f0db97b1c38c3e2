"""A plug-in of pytest: after WARPSIM_TEST_SECONDS no further test is begun, and the results of those that ran are kept."""

import os
import time

begin = time.monotonic()


def pytest_runtest_teardown(item):
    limit = os.environ.get("WARPSIM_TEST_SECONDS")
    if limit and time.monotonic() - begin > float(limit):
        item.session.shouldstop = "its time is up"
