# Made by tools/make_stubs.py.

from headrace.contrib.learn.vocabularies import CategoricalVocabulary as CategoricalVocabulary
