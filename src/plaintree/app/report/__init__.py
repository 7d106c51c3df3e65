"""The report: one HTML page about a model and the rows it is judged by.

data/facts.py and findings.py find out what there is to say, sections.py says it in HTML
(markup.py, chart.py), report.py puts the page together and writes it in one step (writing.py).
"""
