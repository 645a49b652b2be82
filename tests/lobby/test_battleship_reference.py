"""Battleship at the socket, by the table of its reference: every line of it, to the byte."""

from conversation import Conversation
from fleet import PLACE, SQUARES

SHIPS = (
    '[{"ship": "Carrier", "length": 5}, {"ship": "Battleship", "length": 4}, {"ship": "Cruiser", "length": 3}, '
    '{"ship": "Submarine", "length": 3}, {"ship": "Destroyer", "length": 2}]'
)


async def test_the_table_of_the_reference_line_by_line(talk: Conversation):
    await talk.holds(f"""
        ann> REQ 1 session.hello {{"version": 1}}
        ann< RES 1 OK
        ann> REQ 2 session.login {{"player": "ann"}}
        ann< RES 2 OK {{"session_token": "<token ann>"}}
        ann> REQ 3 lobby.subscribe {{"game": "battleship"}}
        ann< RES 3 OK
        bob> REQ b1 session.hello {{"version": 1}}
        bob> REQ b2 session.login {{"player": "bob"}}
        bob> REQ b3 lobby.subscribe {{"game": "battleship"}}
        bob< RES b1 OK
        bob< RES b2 OK {{"session_token": "<token bob>"}}
        bob< RES b3 OK
        bob< EVT m1 game.match_started {{"opponent": "ann"}}
        bob< EVT m1 game.update {{"type": "place_ships", "ships": {SHIPS}, "size": 10}}
        ann< EVT m1 game.match_started {{"opponent": "bob"}}
        ann< EVT m1 game.update {{"type": "place_ships", "ships": {SHIPS}, "size": 10}}
        bob> REQ b4 m1 game.action {PLACE}
        bob< RES b4 OK
        ann< EVT m1 game.update {{"type": "opponent_ready"}}
        ann> REQ 4 m1 game.action {PLACE}
        ann< RES 4 OK
        ann< EVT m1 game.your_turn
        ann> REQ 5 m1 game.action {{"type": "move", "move": 0}}
        ann< RES 5 OK
        ann< EVT m1 game.action {{"type": "move", "player": "ann", "move": 0, "result": "HIT", "sunk": null}}
        ann< EVT m1 game.your_turn
        bob< EVT m1 game.action {{"type": "move", "player": "ann", "move": 0, "result": "HIT", "sunk": null}}
        ann> REQ 6 m1 game.action {{"type": "move", "move": 10}}
        ann< RES 6 OK
        ann< EVT m1 game.action {{"type": "move", "player": "ann", "move": 10, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.action {{"type": "move", "player": "ann", "move": 10, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.your_turn
        bob> REQ b5 m1 game.action {{"type": "move", "move": 99}}
        bob< RES b5 OK
        bob< EVT m1 game.action {{"type": "move", "player": "bob", "move": 99, "result": "MISS", "sunk": null}}
        ann< EVT m1 game.action {{"type": "move", "player": "bob", "move": 99, "result": "MISS", "sunk": null}}
        ann< EVT m1 game.your_turn
    """)
    sent, told = _barrage()
    assert await talk.say("ann", *sent) == [line for request, lines in zip(sent, told, strict=True) for line in lines]
    talk.forget()
    await talk.holds("""
        ann> REQ 7 m1 game.action {"type": "move", "move": 81}
        ann< RES 7 OK
        ann< EVT m1 game.action {"type": "move", "player": "ann", "move": 81, "result": "HIT", "sunk": "Destroyer"}
        ann< EVT m1 game.result {"result": "WIN", "reason": "normal"}
        bob< EVT m1 game.action {"type": "move", "player": "ann", "move": 81, "result": "HIT", "sunk": "Destroyer"}
        bob< EVT m1 game.result {"result": "LOSS", "reason": "normal"}
    """)


def _barrage() -> tuple[list[str], list[list[str]]]:
    """Return ann's shots at all squares but the first, which is hit, and the last; and what she hears of each."""
    sent, told = [], []
    for ship, squares in SQUARES.items():
        for square in squares:
            if square in (0, 81):
                continue
            sunk = f'"{ship}"' if square == squares[-1] else "null"
            body = f'"type": "move", "player": "ann", "move": {square}, "result": "HIT", "sunk": {sunk}'
            sent.append(f'REQ s{square} m1 game.action {{"type": "move", "move": {square}}}')
            told.append([f"RES s{square} OK", f"EVT m1 game.action {{{body}}}", "EVT m1 game.your_turn"])
    return sent, told


async def test_the_errors_that_the_reference_lists(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds(f"""
        ann> REQ 1 m1 game.action {{"type": "move", "move": 5}}
        ann< RES 1 ERR {{"code": "NOT_YOUR_TURN", ...}}
        ann> REQ 2 m1 game.action {{"type": "place_fleet", "ships": []}}
        ann< RES 2 ERR {{"code": "INVALID_PLACEMENT", ...}}
        ann> REQ 3 m1 game.action {PLACE}
        ann< RES 3 OK
        bob< EVT m1 game.update {{"type": "opponent_ready"}}
        ann> REQ 4 m1 game.action {PLACE}
        ann< RES 4 ERR {{"code": "INVALID_PLACEMENT", ...}}
        bob> REQ 5 m1 game.action {PLACE}
        bob< RES 5 OK
        ann< EVT m1 game.your_turn
        bob> REQ 6 m1 game.action {{"type": "move", "move": 5}}
        bob< RES 6 ERR {{"code": "NOT_YOUR_TURN", ...}}
        ann> REQ 7 m1 game.action {{"type": "fire", "move": 5}}
        ann< RES 7 ERR {{"code": "UNKNOWN_ACTION", "message": "...", "actions": ["place_fleet", "move"]}}
        ann> REQ 8 m1 game.action {{"move": 5}}
        ann< RES 8 ERR {{"code": "UNKNOWN_ACTION", "message": "...", "actions": ["place_fleet", "move"]}}
        ann> REQ 9 m1 game.action {{"type": "move", "move": 100}}
        ann< RES 9 ERR {{"code": "INVALID_MOVE", ...}}
        ann> REQ 10 m1 game.action {{"type": "move", "move": 5}}
        ann< RES 10 OK
        ann< EVT m1 game.action {{"type": "move", "player": "ann", "move": 5, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.action {{"type": "move", "player": "ann", "move": 5, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.your_turn
        bob> REQ 11 m1 game.action {{"type": "move", "move": 5}}
        bob< RES 11 OK
        bob< EVT m1 game.action {{"type": "move", "player": "bob", "move": 5, "result": "MISS", "sunk": null}}
        ann< EVT m1 game.action {{"type": "move", "player": "bob", "move": 5, "result": "MISS", "sunk": null}}
        ann< EVT m1 game.your_turn
        ann> REQ 12 m1 game.action {{"type": "move", "move": 5}}
        ann< RES 12 ERR {{"code": "INVALID_MOVE", ...}}
    """)
