# Made by tools/make_stubs.py.

__all__ = ['plugins']
from headrace.contrib.tensorboard import plugins as plugins
