# Made by tools/make_stubs.py.

__all__ = ['get_experimental_options', 'get_jit', 'set_experimental_options', 'set_jit']
from headrace.config.optimizer_options import get_experimental_options as get_experimental_options
from headrace.config.optimizer_options import get_jit as get_jit
from headrace.config.optimizer_options import set_experimental_options as set_experimental_options
from headrace.config.optimizer_options import set_jit as set_jit
