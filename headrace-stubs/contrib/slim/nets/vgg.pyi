# Made by tools/make_stubs.py.

__all__ = ['vgg_16', 'vgg_19', 'vgg_a', 'vgg_arg_scope', 'vgg_d', 'vgg_e']
from headrace.contrib.slim.nets.vgg import vgg_16 as vgg_16
from headrace.contrib.slim.nets.vgg import vgg_19 as vgg_19
from headrace.contrib.slim.nets.vgg import vgg_a as vgg_a
from headrace.contrib.slim.nets.vgg import vgg_arg_scope as vgg_arg_scope
from headrace.contrib.slim.nets.vgg import vgg_d as vgg_d
from headrace.contrib.slim.nets.vgg import vgg_e as vgg_e
