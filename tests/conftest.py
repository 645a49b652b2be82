"""What the tests of a running server share."""

from collections.abc import AsyncIterator

import pytest
from conversation import Conversation


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """A server with the default settings, and nobody there."""
    async with Conversation() as conversation:
        yield conversation
