"""The contract of a store, run against every store there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from lobby.store import Chunk, MatchRow, Row, Store
from lobby.store.opening import MEMORY, open_store


class Badge(Row, frozen=True, kw_only=True):
    table: ClassVar[str] = "badge"
    number: int
    text: str = ""
    owners: tuple[str, ...] = ()


class Named(Row, frozen=True, kw_only=True):
    table: ClassVar[str] = "named"
    name: str
    value: float | None = None

    @property
    def key(self) -> str:
        return self.name


def keep(store: Store) -> None:
    """Leave what was written uncommitted."""


def commit(store: Store) -> None:
    """Commit what was written."""
    store.commit()


@pytest.fixture(params=["memory", "sqlite process", "sqlite power"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    kind, _, durability = request.param.partition(" ")
    store = open_store(MEMORY if kind == "memory" else str(tmp_path / "lobby.db"), durability=durability or "process")
    yield store
    store.close()


@pytest.fixture(params=[keep, commit], ids=["uncommitted", "committed"])
def settle(request: pytest.FixtureRequest) -> Callable[[Store], None]:
    """Every read is tried both before and after the commit of what it reads."""
    settle: Callable[[Store], None] = request.param
    return settle


def begun(number: int, players: tuple[str, ...] = ("ann", "bob"), **fields: Any) -> MatchRow:
    given = {"game": "chess", "seed": 7, "sessions": tuple(range(1, len(players) + 1)), **fields}
    return MatchRow(match=number, version=1, options=b"{}", players=players, began=100.0, origin=5.5, **given)


def ended(row: MatchRow, at: float = 200.0, **fields: Any) -> MatchRow:
    end: dict[str, Any] = {"ended": at, "results": ("WIN", "LOSS"), "reason": "normal", "events": (3, 3, 2)}
    return replace(row, **end | fields)


def numbers(rows: Any) -> list[int]:
    return [row.match for row in rows]


def play(store: Store, *rows: MatchRow) -> None:
    """Open and close matches that have ended, open the others."""
    for row in rows:
        store.open_match(replace(row, ended=None, results=(), reason=None, events=(), inputs=b"", views=()))
        if row.ended is not None:
            store.close_match(row)


# Rows


def test_rows_come_back_by_key_with_every_field(store: Store, settle: Callable[[Store], None]) -> None:
    badges = [Badge(number=10, text="x\0é"), Badge(number=-2, owners=("a", "b")), Badge(number=2**62)]
    for badge in badges:
        store.put(badge)
    settle(store)
    assert list(store.rows(Badge)) == [badges[1], badges[0], badges[2]]


def test_string_keys_sort_by_code_point_and_compare_exactly(store: Store, settle: Callable[[Store], None]) -> None:
    names = ["Z", "a", "A", "é", "e", "10", "9", "", "!", "\U0001f600", "\uffee"]
    for name in names:
        store.put(Named(name=name))
    settle(store)
    assert [row.name for row in store.rows(Named)] == sorted(names)


def test_putting_a_key_again_replaces_its_row(store: Store, settle: Callable[[Store], None]) -> None:
    store.put(Named(name="a", value=1.5))
    settle(store)
    store.put(Named(name="a", value=2.5))
    settle(store)
    assert list(store.rows(Named)) == [Named(name="a", value=2.5)]


def test_a_dropped_row_is_gone_and_can_be_put_again(store: Store, settle: Callable[[Store], None]) -> None:
    store.put(Badge(number=1))
    settle(store)
    store.drop(Badge, 1)
    settle(store)
    assert list(store.rows(Badge)) == []
    store.put(Badge(number=1, text="again"))
    settle(store)
    assert list(store.rows(Badge)) == [Badge(number=1, text="again")]


def test_dropping_what_is_not_there_changes_nothing(store: Store, settle: Callable[[Store], None]) -> None:
    store.drop(Badge, 1)
    settle(store)
    store.put(Badge(number=2))
    store.drop(Badge, 1)
    settle(store)
    assert list(store.rows(Badge)) == [Badge(number=2)]


def test_a_kind_without_rows_is_empty(store: Store) -> None:
    assert list(store.rows(Badge)) == []


def test_rows_may_be_put_and_dropped_while_they_are_read(store: Store) -> None:
    for number in range(300):
        store.put(Badge(number=number))
    for badge in store.rows(Badge):
        store.drop(Badge, badge.number)
        store.put(Named(name=str(badge.number)))
        store.commit()
    assert list(store.rows(Badge)) == []
    assert sum(1 for _ in store.rows(Named)) == 300


# Matches


def test_a_live_match_comes_back_as_it_was_begun(store: Store, settle: Callable[[Store], None]) -> None:
    row = begun(3, ("ann", "bob", "Éva"), game="purrinha", rated=True, tournament=4, seed=2**64 - 1)
    store.open_match(row)
    settle(store)
    assert store.match(3) == row
    assert list(store.live_matches()) == [row]


def test_an_ended_match_comes_back_as_it_ended_with_its_inputs_and_views(
    store: Store, settle: Callable[[Store], None]
) -> None:
    row = ended(begun(3), inputs=b"\0" * 100_000, views=(b'{"a": 1}', b"{}"))
    store.open_match(begun(3))
    settle(store)
    store.close_match(row)
    settle(store)
    assert store.match(3) == row
    assert list(store.live_matches()) == []


def test_an_unknown_match_is_none(store: Store) -> None:
    assert store.match(1) is None


def test_live_matches_come_by_number_however_they_were_opened(store: Store, settle: Callable[[Store], None]) -> None:
    opened = list(range(1, 500))
    Random(1).shuffle(opened)
    play(store, *(begun(number) for number in opened))
    store.close_match(ended(begun(250)))
    settle(store)
    assert numbers(store.live_matches()) == [number for number in range(1, 500) if number != 250]


# The journal


def test_the_journal_holds_the_entries_of_live_matches_in_the_order_of_appending(
    store: Store, settle: Callable[[Store], None]
) -> None:
    play(store, begun(1), begun(2), begun(3))
    appended = [(number % 3 + 1, b"entry %d" % number) for number in range(5000)]
    for match, entry in appended:
        store.append(match, entry)
    settle(store)
    assert list(store.journal()) == appended
    store.close_match(ended(begun(2)))
    settle(store)
    assert list(store.journal()) == [(match, entry) for match, entry in appended if match != 2]


def test_an_entry_may_hold_any_bytes(store: Store, settle: Callable[[Store], None]) -> None:
    entries = [b"", b"\0", bytes(range(256)), b"x" * 100_000]
    play(store, begun(1))
    for entry in entries:
        store.append(1, entry)
    settle(store)
    assert [entry for _, entry in store.journal()] == entries


def test_the_journal_is_the_same_after_retention_whatever_has_ended_between(store: Store) -> None:
    chance = Random(2)
    live: dict[int, list[bytes]] = {}
    order: list[tuple[int, bytes]] = []
    for number in range(1, 400):
        store.open_match(begun(number))
        live[number] = []
        for _ in range(20):
            match = chance.choice(list(live))
            entry = chance.randbytes(chance.randrange(60))
            live[match].append(entry)
            order.append((match, entry))
            store.append(match, entry)
        for match in chance.sample(list(live), k=len(live) // 10):
            store.close_match(ended(begun(match), inputs=b"".join(live.pop(match))))
        if number % 20 == 0:
            store.retain(ended_before=0.0)
        store.commit()
    assert list(store.journal()) == [(match, entry) for match, entry in order if match in live]
    for _ in range(100):
        if not store.retain(ended_before=0.0):
            break
    else:
        pytest.fail("retention never ends")
    assert list(store.journal()) == [(match, entry) for match, entry in order if match in live]


# Lists of matches

GAMES = ("chess", "go")
NAMES = ("ann", "bob", "Ann", "ännchen")
FILTERS = list(product((None, *GAMES, "none"), (None, *NAMES, "nobody"), (None, True, False)))


def crowd() -> list[MatchRow]:
    """Return 200 matches, in the order of opening, of all kinds that a filter tells apart."""
    chance = Random(3)
    rows = []
    for number in chance.sample(range(1, 1000), k=200):
        players = tuple(chance.sample(NAMES, k=2))
        row = begun(number, players, game=chance.choice(GAMES), sessions=(chance.randrange(3), 5))
        rows.append(
            row if chance.random() < 0.5 else ended(row, float(chance.randrange(50)), inputs=b"i", views=(b"v",))
        )
    return rows


def bare(row: MatchRow) -> MatchRow:
    return replace(row, inputs=b"", views=())


def test_any_combination_of_filters_lists_the_matches_it_names(store: Store, settle: Callable[[Store], None]) -> None:
    rows = crowd()
    play(store, *rows)
    settle(store)
    for game, player, live in FILTERS:
        wanted = [
            bare(row)
            for row in sorted(rows, key=lambda row: row.match)
            if (game is None or row.game == game)
            and (player is None or player in row.players)
            and (live is None or live == (row.ended is None))
        ]
        for after, limit in ((0, 1000), (500, 1000), (0, 1), (500, 7), (0, 0), (1000, 5)):
            page = store.matches(after=after, limit=limit, game=game, player=player, live=live)
            assert list(page) == [row for row in wanted if row.match > after][:limit], (
                game,
                player,
                live,
                after,
                limit,
            )


def test_matches_of_a_session_are_the_last_that_ended_since(store: Store, settle: Callable[[Store], None]) -> None:
    rows = crowd()
    play(store, *rows)
    settle(store)
    over = sorted((row.ended, row.match, bare(row)) for row in rows if row.ended is not None)
    for session, since, limit in product((0, 1, 2, 5, 6), (0.0, 20.0, 20.5, 49.0, 50.0), (1, 3, 99)):
        last = [row for end, _, row in over if session in row.sessions and end >= since][-limit:]
        wanted = sorted(last, key=lambda row: row.match)
        assert list(store.matches_of(session, since=since, limit=limit)) == wanted, (session, since, limit)


def test_one_session_or_name_at_two_seats_is_listed_once(store: Store, settle: Callable[[Store], None]) -> None:
    play(store, ended(begun(1, ("ann", "ann"), sessions=(4, 4)), 10.0))
    settle(store)
    assert numbers(store.matches(after=0, limit=9, player="ann")) == [1]
    assert numbers(store.matches_of(4, since=0.0, limit=9)) == [1]


# Records


def test_sealed_chunks_come_back_by_number(store: Store, settle: Callable[[Store], None]) -> None:
    play(store, begun(1), begun(2))
    chunks = [Chunk((number, 2, 0), b"lines %d" % number) for number in range(12)]
    for number, chunk in reversed(list(enumerate(chunks))):
        store.seal(1, number, chunk)
    store.seal(2, 0, Chunk((1,), b"other"))
    settle(store)
    assert list(store.chunk_counts(1)) == [chunk.counts for chunk in chunks]
    assert [store.chunk(1, number) for number in range(12)] == [chunk.body for chunk in chunks]


def test_sealing_a_number_again_replaces_the_piece(store: Store, settle: Callable[[Store], None]) -> None:
    play(store, begun(1))
    store.seal(1, 0, Chunk((1, 2), b"first"))
    settle(store)
    store.seal(1, 0, Chunk((9, 9), b"second"))
    settle(store)
    assert list(store.chunk_counts(1)) == [(9, 9)]
    assert store.chunk(1, 0) == b"second"


def test_a_piece_that_was_not_sealed_is_a_key_error(store: Store) -> None:
    play(store, begun(1))
    store.seal(1, 0, Chunk((1,), b""))
    assert list(store.chunk_counts(2)) == []
    for match, number in ((1, 1), (2, 0)):
        with pytest.raises(KeyError):
            store.chunk(match, number)


# Retention


def test_retention_removes_all_of_the_matches_that_ended_earlier_and_nothing_else(store: Store) -> None:
    rows = [ended(begun(number), float(number), inputs=b"i", views=(b"v",)) for number in range(1, 400)]
    play(store, *rows, begun(400), begun(401))
    for number in range(1, 402):
        store.seal(number, 0, Chunk((1,), b"lines"))
        store.seal(number, 1, Chunk((1,), b"lines"))
    store.append(400, b"entry")
    store.commit()
    slices = 1
    while store.retain(ended_before=300.0):
        store.commit()
        slices += 1
        assert slices < 1000
    assert slices > 1, "a slice is bounded"
    kept = list(range(300, 402))
    assert numbers(store.matches(after=0, limit=999)) == kept
    assert numbers(store.matches(after=0, limit=999, player="bob", game="chess")) == kept
    assert numbers(store.matches_of(1, since=0.0, limit=999)) == kept[:-2]
    assert [number for number in range(1, 402) if store.match(number)] == kept
    assert [number for number in range(1, 402) if store.chunk_counts(number)] == kept
    assert list(store.journal()) == [(400, b"entry")]
    with pytest.raises(KeyError):
        store.chunk(299, 1)


def test_retention_of_an_empty_store_is_done_at_once(store: Store) -> None:
    for _ in range(3):
        more = store.retain(ended_before=1e9)
    assert not more


def test_committing_nothing_and_closing_twice_is_fine(store: Store) -> None:
    store.commit()
    store.commit()
    store.close()
    store.close()
