# Made by tools/make_stubs.py.

from headrace.examples.tutorials import mnist as mnist
