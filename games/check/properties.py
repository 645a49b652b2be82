"""What holds of every game: the properties the kit checks, and the exception that says which one broke."""

from __future__ import annotations

from enum import StrEnum


class Property(StrEnum):
    """One thing that holds of every game, as the sentence that is printed when it does not."""

    DECLARED = "what the game declares of itself is whole"
    IMPORTS = "its modules import nothing that can see a clock, a socket, a disk or chance"
    SETTLED = "settled options settle to themselves, also after a journey as JSON"
    RAISES = "nothing but Refused is ever raised"
    REFUSALS = "a refusal has a code, a message for people, and a retry_after where it is too soon"
    UNCHANGED = "a refusal leaves the state as it was"
    FROZEN = "an old state is still good"
    SAMPLES = "what sample proposes is accepted"
    ENDS = "every match ends"
    AT_REST = "once it is over, nobody owes a move and no clock runs"
    CLOCK = "while it lives a clock runs, not later than anyone's turn, and never backwards"
    PROGRESS = "when time is due, it moves the match on"
    TURNS = "only seats that play are in turn"
    ASKS = "your_turn comes last, once, to seats in turn, with the option's seconds, and never at the end"
    LINES = "what is told has a name word.word, reaches somebody, is JSON, and fits in a line"
    VIEWS = "a view is JSON and fits in a line"
    OUT = "a seat that is out does nothing and is told nothing"
    LEAVING = "whoever leaves is out, or the match is over and they have not won"
    RESULTS = "results are complete and agree with each other"
    REPLAY = "the same inputs give the same bytes"
    ENCODING = "states survive encoding"
    KNOWN = "views, turns and answers hold nothing that the viewer's record does not say"
    WATCHED = "spectators learn nothing that a player does not"
    HIDDEN = "a hidden choice stays hidden while others still owe theirs"


SECRETS = frozenset({Property.KNOWN, Property.WATCHED, Property.HIDDEN})


class Broken(Exception):
    """A property does not hold; the detail says how."""

    def __init__(self, broken: Property, detail: str) -> None:
        """Say what broke, and how."""
        super().__init__(broken, detail)
        self.property = broken
        self.detail = detail
