"""Every conversation that a document shows, held again; and that one which was never held is found out."""

import pytest
from played import DOCUMENTS, played

PAGES = {document.name: document.read_text(encoding="utf-8") for document in DOCUMENTS}
SHOWING = [name for name, text in PAGES.items() if "```transcript" in text or "```text " in text]


@pytest.mark.parametrize("name", SHOWING)
async def test_what_a_document_shows_comes_true(name: str):
    assert (await played(PAGES[name])).splitlines() == PAGES[name].splitlines()


async def test_answers_that_are_missing_or_wrong_are_put_right():
    text = await played(
        "Hello.\n```transcript\nann> REQ 1 session.ping\nann< RES 2 OK\n-- ann hangs up\n```\nAnd:\n"
        "```text bob\n$ nc host\nREQ 1 session.ping {}\nREQ 2 session.ping\nRES 1 OK\n```\n"
        "```transcript anew\nann> REQ 1 session.hello\n```\nBye.\n"
    )
    assert text.startswith(
        "Hello.\n```transcript\nann> REQ 1 session.ping\nann< RES 1 OK\n-- ann hangs up\n```\nAnd:\n"
        "```text bob\n$ nc host\nREQ 1 session.ping {}\nRES 1 OK\nREQ 2 session.ping\nRES 2 OK\n```\n"
        '```transcript anew\nann> REQ 1 session.hello\nann< RES 1 ERR {"code": "BAD_REQUEST", '
    )
    assert text.endswith("}\n```\nBye.\n")


async def test_a_screen_keeps_the_token_that_stood_there():
    screen = (
        '```text ann\nREQ 1 session.hello {"version": 1}\nRES 1 OK\nREQ 2 session.login {"player": "ann"}\n'
        f'RES 2 OK {{"session_token": "{"t" * 43}"}}\n```\n'
    )
    assert await played(screen) == screen
