"""How long the crash tests run, and from which seed: `--seasons` and `--seed`, where this folder is named to pytest."""

from collections.abc import AsyncIterator

import pytest
from server_process import ServerProcess


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seasons", type=int, default=1, help="how many seasons of twenty kills")
    parser.addoption("--seed", type=int, default=1, help="the seed of the first one; each later one has the next")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first, seasons = (metafunc.config.getoption(name, 1) for name in ("--seed", "--seasons"))
        metafunc.parametrize("seed", range(first, first + seasons))


@pytest.fixture(autouse=True)
async def no_server_outlives_its_test() -> AsyncIterator[None]:
    yield
    while ServerProcess.started:
        await ServerProcess.started.pop().kill()
