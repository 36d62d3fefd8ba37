# Made by tools/make_stubs.py.

__all__ = ['Feature', 'do_not_convert', 'set_loop_options']
from headrace.autograph import Feature as Feature
from headrace.autograph import do_not_convert as do_not_convert
from headrace.autograph import set_loop_options as set_loop_options
