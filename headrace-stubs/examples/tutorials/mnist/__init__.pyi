# Made by tools/make_stubs.py.

from headrace.examples.tutorials.mnist import input_data as input_data
from headrace.examples.tutorials.mnist import mnist as mnist
