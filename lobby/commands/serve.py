"""`lobby serve`: reads the settings, starts the log, and hands over to the server."""

from __future__ import annotations

import signal
from argparse import Namespace

from lobby.commands import CommandFailed, Commands
from lobby.commands.flags import add_flags, settings_from
from lobby.settings import Settings
from lobby.store import StoreFailed


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("serve", help="run the server until SIGTERM or SIGINT")
    add_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Serve until told to stop."""
    settings = settings_from(arguments).settings
    # Until the server has its own handlers, SIGTERM is to end it as quietly as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _serve(settings)
    except KeyboardInterrupt:
        return 0
    except StoreFailed as error:
        raise CommandFailed(str(error)) from None
    except OSError as error:
        raise CommandFailed(f"can't serve: {error.strerror or error}") from None


def _serve(settings: Settings) -> int:
    from lobby import log
    from lobby.server import serve

    log.configure(settings.log_format, settings.log_level)
    return serve(settings)
