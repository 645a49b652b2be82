"""The asyncio server: connections, sessions, matchmaking, matches, time and storage."""
