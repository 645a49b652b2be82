"""The page on adding a game: what it shows of the example is in the example, and its numbers are right."""

import re
import tomllib

import pytest
from tables import page

from games.check import Property
from games.contract import Engine
from lobby import scrutiny
from protocol.wire import OUTPUT_LIMIT

PAGE = page("docs/adding-a-game.md")
EXAMPLE = "docs/examples/tictactoe"


@pytest.mark.parametrize(("language", "file"), [("python", "tictactoe.py"), ("toml", "pyproject.toml")])
def test_what_the_page_shows_of_the_example_is_there(language: str, file: str):
    shown = [
        piece
        for block in re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
        for piece in block.strip("\n").split("\n\n\n")
    ]
    assert len(shown) > 0
    assert [piece for piece in shown if piece not in page(f"{EXAMPLE}/{file}")] == []


def test_the_page_has_the_limits_that_hold():
    assert f"against {len(Property)} properties" in PAGE
    assert f"A line has at most {OUTPUT_LIMIT:,} bytes" in PAGE
    assert f"a step at most {scrutiny.FACTS} facts" in PAGE
    assert f"at most {scrutiny.STRIKES} times within a second" in PAGE


def test_the_page_names_every_function_of_the_contract():
    functions = {name for name, item in vars(Engine).items() if callable(item) and not name.startswith("_")}
    assert {name for name in functions if f"`{name}`" not in PAGE} == set()


def test_the_package_is_named_as_the_page_uninstalls_it():
    project = tomllib.loads(page(f"{EXAMPLE}/pyproject.toml"))["project"]
    assert f"pip uninstall {project['name']}`" in PAGE
