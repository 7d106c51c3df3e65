# The public names of this module and where they are defined; lazy.py reads these lines.

from .c45rules import simplify_rules as simplify_rules
from .extract import rules_of as rules_of
from .formula import Formula as Formula
from .formula import formula_of as formula_of
from .logic import are_exclusive as are_exclusive
from .logic import check_partition as check_partition
from .logic import is_complete as is_complete
from .monotonic import check_monotonic as check_monotonic
from .rule import Clause as Clause
from .rule import Rule as Rule
from .rule_list import RuleList as RuleList
