"""The least that any asyncio line server spends on a round of roshambo: the yardstick for the real one.

It pairs sockets in the order in which they come, splits what it reads on LF, parses nothing, and writes canned bytes of
the size of the real lines, one joined write per connection. Run by `rounds.py`; `python limit.py` serves on a free port.
"""

from __future__ import annotations

import asyncio

ANSWER = b"RES 1 OK\n"
ROUND = (
    b'EVT m1 game.action {"type": "move", "player": "a1", "move": "ROCK"}\n'
    b'EVT m1 game.action {"type": "move", "player": "b1", "move": "PAPER"}\n'
    b"EVT m1 game.your_turn\n"
)
BUFFER = memoryview(bytearray(64 * 1024))


class Bare(asyncio.BufferedProtocol):
    """One socket; its round is over when both of the pair have sent a line."""

    waiting: Bare | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.moved = False
        self.rest = b""
        if Bare.waiting is None:
            Bare.waiting = self
        else:
            self.other, Bare.waiting.other, Bare.waiting = Bare.waiting, self, None
            for one in (self, self.other):
                one.transport.write(b"EVT m1 game.your_turn\n")

    def get_buffer(self, sizehint: int) -> memoryview:
        return BUFFER

    def buffer_updated(self, nbytes: int) -> None:
        *lines, self.rest = (self.rest + bytes(BUFFER[:nbytes])).split(b"\n")
        for _ in lines:
            self.moved = True
            if self.other.moved:
                self.moved = self.other.moved = False
                self.transport.write(b"".join((ANSWER, ROUND)))
                self.other.transport.write(ROUND)
            else:
                self.transport.write(ANSWER)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0, backlog=1024)
    print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
