# Made by tools/make_stubs.py.

from headrace.contrib.tensorboard import plugins as plugins
