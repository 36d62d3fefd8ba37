# Made by tools/make_stubs.py.

__all__ = ['bottleneck', 'resnet_arg_scope', 'resnet_v1', 'resnet_v1_101', 'resnet_v1_152', 'resnet_v1_200', 'resnet_v1_50', 'resnet_v1_block']
from headrace.contrib.slim.nets.resnet_v1 import bottleneck as bottleneck
from headrace.contrib.slim.nets.resnet_v1 import resnet_arg_scope as resnet_arg_scope
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1 as resnet_v1
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1_101 as resnet_v1_101
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1_152 as resnet_v1_152
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1_200 as resnet_v1_200
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1_50 as resnet_v1_50
from headrace.contrib.slim.nets.resnet_v1 import resnet_v1_block as resnet_v1_block
