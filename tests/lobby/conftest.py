"""What the tests of the lobby share."""

from collections.abc import AsyncIterator

import pytest
from conversation import Conversation


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """A server with the default settings, and nobody there."""
    async with Conversation() as conversation:
        yield conversation
