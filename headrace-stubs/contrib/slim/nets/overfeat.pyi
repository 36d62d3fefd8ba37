# Made by tools/make_stubs.py.

__all__ = ['overfeat', 'overfeat_arg_scope', 'trunc_normal']
from headrace.contrib.slim.nets.overfeat import overfeat as overfeat
from headrace.contrib.slim.nets.overfeat import overfeat_arg_scope as overfeat_arg_scope
from headrace.contrib.slim.nets.stages import trunc_normal as trunc_normal
