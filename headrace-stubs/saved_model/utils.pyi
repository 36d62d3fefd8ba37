# Made by tools/make_stubs.py.

__all__ = ['build_tensor_info', 'get_tensor_from_tensor_info']
from headrace.saved_model.signatures import build_tensor_info as build_tensor_info
from headrace.saved_model.signatures import get_tensor_from_tensor_info as get_tensor_from_tensor_info
