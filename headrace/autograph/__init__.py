"""Python's control flow as that of the graph: functions are rewritten so that if, while, for, and, or look at values.

to_graph(f)       a function like f, whose branches and loops may depend on tensors
converted_for_function(f)   the same for functions that the library traces; f itself where that cannot be
"""

from headrace.autograph.conversion import (
    Feature,
    converted_for_function,
    do_not_convert,
    set_loop_options,
    to_code,
    to_graph,
)

__all__ = ["Feature", "converted_for_function", "do_not_convert", "set_loop_options", "to_code", "to_graph"]
