# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['experimental', 'set_verbosity', 'to_code', 'to_graph', 'trace']
from headrace.compat.v2.autograph import experimental as experimental
from headrace.autograph.settings import set_verbosity as set_verbosity
to_code: Any
to_graph: Any
from headrace.autograph.settings import trace as trace
