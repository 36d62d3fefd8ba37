# Made by tools/make_stubs.py.

__all__ = ['mnist']
from headrace.examples.tutorials import mnist as mnist
