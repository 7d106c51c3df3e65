"""The report: one HTML page about a model and a table.

findings.py collects the facts, sections.py and quality.py write them as HTML (markup.py,
chart.py), and report.py writes the page in one step (writing.py). living.py adds the page of the
studio with the replies to its requests (replies.py). May import every room except app/cli.
Computations that a room further in can do never enter.
"""
