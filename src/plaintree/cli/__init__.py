"""The command line: `plaintree look`, `plaintree grow`, `plaintree demo`.

app.py has the commands, options.py the learners' options, look.py and study.py find out what there
is to say, and show.py writes it. Nothing inside the package imports this.
"""

from .app import app, main

__all__ = ["app", "main"]
