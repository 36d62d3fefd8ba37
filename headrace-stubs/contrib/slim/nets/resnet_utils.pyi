# Made by tools/make_stubs.py.

__all__ = ['Block', 'conv2d_same', 'resnet_arg_scope', 'stack_blocks_dense', 'subsample']
from headrace.contrib.slim.nets.resnet_utils import Block as Block
from headrace.contrib.slim.nets.resnet_utils import conv2d_same as conv2d_same
from headrace.contrib.slim.nets.resnet_utils import resnet_arg_scope as resnet_arg_scope
from headrace.contrib.slim.nets.resnet_utils import stack_blocks_dense as stack_blocks_dense
from headrace.contrib.slim.nets.resnet_utils import subsample as subsample
