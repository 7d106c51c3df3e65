"""The studio: a page in the browser in which a tree is grown, questioned, pruned and taught.

``messages/`` describes what the page and the server send each other, and imports nothing else of
the package. Worker processes (worker.py) compute the responses, each for one table. The server
(server.py) knows HTTP and nothing of trees: guard.py refuses what does not come from its own page,
door.py has the routes, tables.py the workers of the open tables. ``launch.py`` has
``plaintree.studio``. Only the command line imports this room. Computations never enter.
"""
