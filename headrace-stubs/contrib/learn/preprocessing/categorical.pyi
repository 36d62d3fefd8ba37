# Made by tools/make_stubs.py.

__all__ = ['CategoricalProcessor']
from headrace.contrib.learn.vocabularies import CategoricalProcessor as CategoricalProcessor
