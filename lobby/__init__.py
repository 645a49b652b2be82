"""The asyncio server: connections, sessions, matchmaking, matches, time and storage."""

__version__ = "0.1.0"
