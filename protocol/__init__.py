"""The line protocol, sans I/O: bytes in, requests out; answers and events in, bytes out."""
