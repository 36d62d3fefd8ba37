# Made by tools/make_stubs.py.

__all__ = ['circles', 'spirals']
from headrace.datasets.synthetic import circles as circles
from headrace.datasets.synthetic import spirals as spirals
