"""Lets `python -m lobby` do what the command `lobby` does."""

import sys

from lobby.cli import main

if __name__ == "__main__":
    sys.exit(main())
