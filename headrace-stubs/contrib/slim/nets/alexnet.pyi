# Made by tools/make_stubs.py.

__all__ = ['alexnet_v2', 'alexnet_v2_arg_scope', 'trunc_normal']
from headrace.contrib.slim.nets.alexnet import alexnet_v2 as alexnet_v2
from headrace.contrib.slim.nets.alexnet import alexnet_v2_arg_scope as alexnet_v2_arg_scope
from headrace.contrib.slim.nets.stages import trunc_normal as trunc_normal
