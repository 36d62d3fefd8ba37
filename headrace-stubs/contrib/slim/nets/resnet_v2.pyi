# Made by tools/make_stubs.py.

__all__ = ['bottleneck', 'resnet_arg_scope', 'resnet_v2', 'resnet_v2_101', 'resnet_v2_152', 'resnet_v2_200', 'resnet_v2_50', 'resnet_v2_block']
from headrace.contrib.slim.nets.resnet_v2 import bottleneck as bottleneck
from headrace.contrib.slim.nets.resnet_v2 import resnet_arg_scope as resnet_arg_scope
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2 as resnet_v2
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2_101 as resnet_v2_101
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2_152 as resnet_v2_152
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2_200 as resnet_v2_200
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2_50 as resnet_v2_50
from headrace.contrib.slim.nets.resnet_v2 import resnet_v2_block as resnet_v2_block
