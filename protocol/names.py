"""What a player may be called, and when two names are the same. It knows no player."""

from __future__ import annotations

from typing import Final
from unicodedata import category, normalize

from protocol.errors import Code, ProtocolError

LONGEST: Final = 32

SPELLED: Final = 18 * LONGEST
"""The most characters in which a name can be spelled: NFKC makes at most 18 of one. What is longer is not normalised, as
that takes quadratic time where marks stand in the wrong order."""

RESERVED: Final = frozenset({"tie", "waiting", "none", "draw", "host", "guest"})
"""Words that stand where a name could stand; by key."""

# Unicode's property Default_Ignorable_Code_Point (DerivedCoreProperties.txt): what is drawn as nothing.
_IGNORABLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)


def canonical(name: str) -> str:
    """Return a name as it is kept, in NFC. Raise `INVALID_NAME` where nobody may be called that."""
    kept = composed(name)
    if not 1 <= len(kept) <= LONGEST:
        raise _invalid(f"a name has 1 to {LONGEST} characters, this one has {len(kept)}")
    if not _is_letter_or_digit(kept[0]):
        raise _invalid("a name begins with a letter or a digit")
    if not all(map(_may_stand, kept)):
        raise _invalid('a name is made of letters, digits, "_", "-" and ".", without blanks and invisible characters')
    if key(kept) in RESERVED:
        raise _invalid(f'"{kept}" is a word of the games\' own; choose another name')
    return kept


def composed(name: str) -> str:
    """Return a name in NFC, whether or not anybody may be called that; one that is far too long as it is."""
    return name if len(name) > SPELLED else normalize("NFC", name)


def key(name: str) -> str:
    """Return what two names share exactly where they are the same: NFKC case-folding, as Unicode's D146 has it.

    A name that is far too long is its own.
    """
    if len(name) > SPELLED:
        return name
    folded = normalize("NFKC", normalize("NFD", name).casefold())
    return normalize("NFKC", folded.casefold())


def _is_letter_or_digit(mark: str) -> bool:
    kind = category(mark)
    return kind[0] == "L" or kind == "Nd"


def _may_stand(mark: str) -> bool:
    if not (mark in "_-." or category(mark)[0] == "M" or _is_letter_or_digit(mark)):
        return False
    return not any(first <= ord(mark) <= last for first, last in _IGNORABLE)


def _invalid(message: str) -> ProtocolError:
    return ProtocolError(Code.INVALID_NAME, message)
