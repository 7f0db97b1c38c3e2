"""What numba-cuda's tests expect of its repository's conftest.py, which is not in the package."""

import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
