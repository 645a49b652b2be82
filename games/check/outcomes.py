"""Ends held against the contract: who leaves, and what the results must be."""

from __future__ import annotations

from games.check.history import Act, Input, Leave
from games.check.properties import Broken, Property
from games.contract import Outcome, Reason, Result, Seat


def check_outcome(
    given: Input | None, outcome: Outcome | None, *, seats: int, was_out: frozenset[Seat], out: frozenset[Seat]
) -> None:
    """Check that leavers have left, and that the end, where it has come, is whole."""
    if outcome is not None:
        _check_results(outcome, seats=seats, out=out)
        _check_void(given, outcome, was_out)
    if isinstance(given, Leave):
        _check_leavers(given, outcome, out)


def _check_results(outcome: Outcome, *, seats: int, out: frozenset[Seat]) -> None:
    results = outcome.results
    told = f"the results are {' '.join(map(str, results))}"
    if len(results) != seats:
        raise Broken(Property.RESULTS, f"{told}, for {seats} seats")
    if not isinstance(outcome.reason, Reason) or not all(isinstance(result, Result) for result in results):
        raise Broken(Property.RESULTS, f"{told}, {outcome.reason!r}; they are Result, with a Reason")
    if any(results[seat] is not Result.LOSS for seat in out):
        raise Broken(Property.RESULTS, f"{told}, and {sorted(out)} were out before: they have lost")
    if set(results) == {Result.LOSS}:
        raise Broken(Property.RESULTS, f"{told}: somebody has won, or drawn, or it is void")
    if len(set(results) - {Result.LOSS}) > 1:
        raise Broken(Property.RESULTS, f"{told}: beside LOSS there is one of WIN, DRAW and VOID")
    if results.count(Result.DRAW) == 1:
        raise Broken(Property.RESULTS, f"{told}: nobody draws alone")


def _check_void(given: Input | None, outcome: Outcome, was_out: frozenset[Seat]) -> None:
    void = {seat for seat, result in enumerate(outcome.results) if result is Result.VOID}
    if not void:
        return
    if given is None or isinstance(given, Act):
        raise Broken(Property.RESULTS, "VOID is for those whom one instant strikes, never for an action")
    everyone = set(range(len(outcome.results))) - was_out
    if isinstance(given, Leave) and everyone != set(given.seats):
        raise Broken(Property.RESULTS, f"{sorted(void)} are VOID, and not everyone has left")


def _check_leavers(given: Leave, outcome: Outcome | None, out: frozenset[Seat]) -> None:
    staying = set(given.seats) - out
    if outcome is None and staying:
        raise Broken(Property.LEAVING, f"seats {sorted(staying)} left, and play on")
    if outcome is not None:
        for seat in given.seats:
            if outcome.results[seat] not in (Result.LOSS, Result.VOID):
                raise Broken(Property.LEAVING, f"seat {seat} left, and its result is {outcome.results[seat]}")
