# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Feature', 'do_not_convert', 'set_loop_options', 'set_verbosity', 'to_code', 'to_graph', 'trace']
from headrace.autograph import Feature as Feature
from headrace.autograph import do_not_convert as do_not_convert
from headrace.autograph import set_loop_options as set_loop_options
from headrace.autograph.settings import set_verbosity as set_verbosity
to_code: Any
to_graph: Any
from headrace.autograph.settings import trace as trace
