"""The command line, `plaintree`.

base.py has what all commands share, options.py the learners' options. The commands are in app.py
(those that grow), work_commands.py (solve, explain), model_commands.py (those that take a model
file) and demo_command.py. app/study/look.py, app/study/look_texts.py and the *_study.py find out
what there is to say, show.py and the show_*.py write it; data/chunks.py reads and writes tables of
any size. Nothing inside the package imports this.
"""

from . import demo_command, model_commands, work_commands
from .app import main
from .base import app

__all__ = ["app", "demo_command", "main", "model_commands", "work_commands"]
