# Made by tools/make_stubs.py.

__all__ = ['CategoricalVocabulary']
from headrace.contrib.learn.vocabularies import CategoricalVocabulary as CategoricalVocabulary
