# Made by tools/make_stubs.py.

from headrace.contrib.tensorboard.plugins import projector as projector
