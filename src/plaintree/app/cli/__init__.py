"""The command line, ``plaintree``.

base.py holds what all commands share and options.py the options of the learners. The commands are
in app.py (growing), work_commands.py (solve, explain), model_commands.py (model files) and
demo_command.py; the show modules print the facts of app/study. May import every room, but on
``--help`` only light modules. No room imports it. Computations never enter.
"""

from . import demo_command, model_commands, work_commands
from .app import main
from .base import app

__all__ = ["app", "demo_command", "main", "model_commands", "work_commands"]
