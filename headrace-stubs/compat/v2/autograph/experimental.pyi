# Made by tools/make_stubs.py.

__all__ = ['Feature', 'do_not_convert', 'set_loop_options']
from headrace.autograph.experimental import Feature as Feature
from headrace.autograph.experimental import do_not_convert as do_not_convert
from headrace.autograph.experimental import set_loop_options as set_loop_options
