# Made by tools/make_stubs.py.

__all__ = ['input_data', 'mnist']
from headrace.examples.tutorials.mnist import input_data as input_data
from headrace.examples.tutorials.mnist import mnist as mnist
