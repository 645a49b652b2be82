"""A fleet for tests, as it is sent, and the squares that it lies on."""

from typing import Final

LENGTHS: Final = {"Carrier": 5, "Battleship": 4, "Cruiser": 3, "Submarine": 3, "Destroyer": 2}

SHIPS: Final = ", ".join(
    f'{{"ship": "{ship}", "row": {2 * index}, "col": 0, "orientation": "H"}}' for index, ship in enumerate(LENGTHS)
)
PLACE: Final = f'{{"type": "place_fleet", "ships": [{SHIPS}]}}'
"""The action that lays the ships along rows 0, 2, 4, 6 and 8, each from column 0."""

SQUARES: Final = {
    ship: [20 * index + column for column in range(length)] for index, (ship, length) in enumerate(LENGTHS.items())
}
