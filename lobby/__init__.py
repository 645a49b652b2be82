"""The asyncio server: connections, sessions, matchmaking, matches, time and storage; and the tools around it."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("lobby")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0"
