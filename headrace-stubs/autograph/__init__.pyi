# Made by tools/make_stubs.py.

from headrace.autograph.conversion import Feature as Feature, converted_for_function as converted_for_function, do_not_convert as do_not_convert, set_loop_options as set_loop_options, to_code as to_code, to_graph as to_graph
__all__ = ['experimental', 'set_verbosity', 'to_code', 'to_graph', 'trace']
from headrace.autograph import experimental as experimental
from headrace.autograph.settings import set_verbosity as set_verbosity
from headrace.autograph.settings import trace as trace
