"""Studies: the facts behind each command, as plain values.

May import every room except the other packages of app. Printing and formatting for a terminal
never enter; a study raises errors with the names of parameters.
"""
