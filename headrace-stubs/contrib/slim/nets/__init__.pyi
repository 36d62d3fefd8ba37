# Made by tools/make_stubs.py.

__all__ = ['alexnet', 'inception', 'overfeat', 'resnet_utils', 'resnet_v1', 'resnet_v2', 'vgg']
from headrace.contrib.slim.nets import alexnet as alexnet
from headrace.contrib.slim.nets import inception as inception
from headrace.contrib.slim.nets import overfeat as overfeat
from headrace.contrib.slim.nets import resnet_utils as resnet_utils
from headrace.contrib.slim.nets import resnet_v1 as resnet_v1
from headrace.contrib.slim.nets import resnet_v2 as resnet_v2
from headrace.contrib.slim.nets import vgg as vgg
