# Made by tools/make_stubs.py.

from headrace.datasets.text import main as main
