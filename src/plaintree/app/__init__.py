"""The programs: the command line, the report, the studio, and the studies they share.

A study computes facts as plain values and prints nothing; the others present them. May import
every room; no room imports it. Computations that a room further in can do never enter.
"""
