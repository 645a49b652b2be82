"""What a player may be called, and which names are the same."""

from __future__ import annotations

import sys
from unicodedata import normalize

import pytest

from protocol.errors import Code, ProtocolError
from protocol.names import LONGEST, RESERVED, SPELLED, canonical, composed, key

GOOD = [
    "a",
    "7",
    "Alice",
    "x-_.9",
    "a" * 32,
    "Zoë",
    "李雷",
    "кот",
    "नमस्ते",
    "٣بيت",
    "hosts",
    "tie1",
    "é" * 32,
    "😀".join([""]) + "b",
]

BAD = {
    "empty": "",
    "33 characters": "a" * 33,
    "a blank": "a b",
    "a blank at the end": "ab ",
    "a dash first": "-a",
    "a dot first": ".a",
    "an underscore first": "_a",
    "a mark first": "\u0301a",
    "a control character": "a\x00",
    "a slash": "a/b",
    "a quote": 'a"b',
    "an emoji": "a😀",
    "a Roman numeral (Nl)": "a\u2163",
    "a superscript (No)": "a\u00b2",
    "a soft hyphen": "a\u00adb",
    "a joiner": "a\u200db",
    "a grapheme joiner, a mark": "a\u034fb",
    "a variation selector, a mark": "a\ufe0fb",
    "a Hangul filler, a letter": "a\u3164b",
    "a half-width filler, a letter": "\uffa0",
    "a supplementary variation selector": "a\U000e0100b",
    "right to left override": "a\u202eb",
    "an unassigned character": "a\u0378",
    "a private one": "a\ue000",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_kept(name: str) -> None:
    assert canonical(name) == name


@pytest.mark.parametrize("name", BAD.values(), ids=BAD.keys())
def test_a_bad_name_is_refused_in_plain_words(name: str) -> None:
    with pytest.raises(ProtocolError, match=r"name has|begins with|made of") as caught:
        canonical(name)
    assert caught.value.code is Code.INVALID_NAME


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_refused_however_it_is_written(word: str) -> None:
    for name in (word, word.upper(), word.title(), "".join(chr(ord(mark) + 0xFEE0) for mark in word)):
        with pytest.raises(ProtocolError, match="choose another name"):
            canonical(name)


def test_a_name_is_kept_as_nfc_and_counted_so() -> None:
    assert canonical("e\u0301" * 32) == "\u00e9" * 32


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "aLICE"),
        ("straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("\uff21lice", "alice"),
        ("e\u0301a", "ÉA"),
        ("ς", "Σ"),
        ("\u2121", "tel"),
        ("\u03b1\u0345\u0301", "\u1fb4"),
    ],
)
def test_names_equal_under_folding_are_the_same(one: str, other: str) -> None:
    assert key(one) == key(other)


def test_other_names_are_not() -> None:
    assert len({key(name) for name in ("alice", "al1ce", "alicé", "ali_ce", "ali-ce")}) == 5


def test_a_key_is_its_own_key_and_that_of_every_form() -> None:
    for mark in map(chr, range(sys.maxunicode + 1)):
        if not "\ud800" <= mark <= "\udfff":
            folded = key(mark)
            assert folded == key(folded) == key(normalize("NFD", mark)) == key(normalize("NFKC", mark))


def test_what_is_longer_than_any_spelling_of_a_name_is_not_normalised():
    """The worst letter there is: 32 of it are a name, and 576 characters spell the same one."""
    name = "\ufdfa" * LONGEST
    assert canonical(name) == name
    assert key(normalize("NFKC", name)) == key(name)
    assert len(normalize("NFKC", name)) == SPELLED
    unordered = "a" + "\u0300\u0316" * 2_000
    assert composed(unordered) == key(unordered) == unordered
    with pytest.raises(ProtocolError, match="1 to 32 characters, this one has 4001"):
        canonical(unordered)
