# Made by tools/make_stubs.py.

__all__ = ['projector']
from headrace.contrib.tensorboard.plugins import projector as projector
