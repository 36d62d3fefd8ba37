# Made by tools/make_stubs.py.

__all__ = ['main']
from headrace.datasets.text import main as main
