"""The programs: the command line, the report, the studies they share.

A study finds out facts as plain values and prints nothing; cli, report and studio show them.
Imports everything; nothing imports it.
"""
