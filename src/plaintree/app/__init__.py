"""The programs: the command line, the report, and the studies they share.

A study computes facts as plain values and prints nothing; cli and report present them. May import
every room; no room imports it. Computations that a room further in can do never enter.
"""
