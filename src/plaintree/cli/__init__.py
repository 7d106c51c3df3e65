"""The command line: `plaintree look`, `grow`, `prune`, `rules` and `demo`.

app.py has the commands, options.py the learners' options; look.py, study.py, prune_study.py and
rule_study.py find out what there is to say, show.py and show_pruning.py write it. Nothing inside
the package imports this.
"""

from .app import app, main

__all__ = ["app", "main"]
