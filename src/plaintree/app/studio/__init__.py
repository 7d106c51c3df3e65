"""The studio: a page in the browser in which a tree is grown, questioned, pruned and taught.

``messages/`` describes what the page and the server send each other, and imports nothing else of
the package. ``server/`` knows HTTP and nothing of trees: guard.py refuses what does not come from
its own page, door.py has the routes. ``workers/`` has a process for each open table, and in it
``replies/`` computes what is asked. ``launch.py`` has ``plaintree.studio``. Only the command line
imports this room. Computations never enter.
"""
