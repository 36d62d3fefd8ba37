# Made by tools/make_stubs.py.

