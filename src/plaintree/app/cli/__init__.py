"""The command line, ``plaintree``.

base.py holds what all commands share, messages.py the messages and exit codes, and options.py the
options of the learners. The commands are in app.py and the modules named after their commands;
the show modules print the facts of app/study. May import every room, but on ``--help`` only light
modules. No room imports it. Computations never enter.
"""

from . import (
    demo_command,
    export_command,
    forest_command,
    model_commands,
    profiles_command,
    studio_command,
    work_commands,
)
from .app import main
from .base import app

__all__ = [
    "app",
    "demo_command",
    "export_command",
    "forest_command",
    "main",
    "model_commands",
    "profiles_command",
    "studio_command",
    "work_commands",
]
