# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AutoGraphError', 'Feature', 'convert', 'do_not_convert', 'set_element_type', 'set_loop_options', 'set_verbosity', 'stack', 'to_code', 'to_graph', 'trace']
from headrace.autograph.staging_errors import AutoGraphError as AutoGraphError
from headrace.autograph import Feature as Feature
from headrace.autograph.decorating import convert as convert
from headrace.autograph import do_not_convert as do_not_convert
from headrace.autograph.decorating import set_element_type as set_element_type
from headrace.autograph import set_loop_options as set_loop_options
from headrace.autograph.settings import set_verbosity as set_verbosity
from headrace.autograph.decorating import stack as stack
to_code: Any
to_graph: Any
from headrace.autograph.settings import trace as trace
