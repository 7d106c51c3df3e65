"""Runs the command line: ``python -m plaintree`` is ``plaintree``."""

from plaintree.app.cli import main

if __name__ == "__main__":
    main()
