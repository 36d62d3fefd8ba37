# Made by tools/make_stubs.py.

__all__ = ['run', 'tune']
from headrace.contrib.learn.learn_runner import run as run
from headrace.contrib.learn.learn_runner import tune as tune
