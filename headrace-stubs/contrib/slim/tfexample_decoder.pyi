# Made by tools/make_stubs.py.

__all__ = ['BackupHandler', 'BoundingBox', 'Image', 'ItemHandler', 'ItemHandlerCallback', 'LookupTensor', 'SparseTensor', 'TFExampleDecoder', 'Tensor']
from headrace.contrib.slim.data.tfexample_decoder import BackupHandler as BackupHandler
from headrace.contrib.slim.data.tfexample_decoder import BoundingBox as BoundingBox
from headrace.contrib.slim.data.tfexample_decoder import Image as Image
from headrace.contrib.slim.data.tfexample_decoder import ItemHandler as ItemHandler
from headrace.contrib.slim.data.tfexample_decoder import ItemHandlerCallback as ItemHandlerCallback
from headrace.contrib.slim.data.tfexample_decoder import LookupTensor as LookupTensor
from headrace.contrib.slim.data.tfexample_decoder import SparseTensor as SparseTensor
from headrace.contrib.slim.data.tfexample_decoder import TFExampleDecoder as TFExampleDecoder
from headrace.contrib.slim.data.tfexample_decoder import Tensor as Tensor
