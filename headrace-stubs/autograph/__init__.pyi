# Made by tools/make_stubs.py.

__all__ = ['experimental', 'set_verbosity', 'to_code', 'to_graph', 'trace']
from headrace.autograph import experimental as experimental
from headrace.autograph.settings import set_verbosity as set_verbosity
from headrace.autograph import to_code as to_code
from headrace.autograph import to_graph as to_graph
from headrace.autograph.settings import trace as trace
