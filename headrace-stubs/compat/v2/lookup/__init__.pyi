# Made by tools/make_stubs.py.

__all__ = ['KeyValueTensorInitializer', 'StaticHashTable', 'StaticVocabularyTable', 'TextFileIndex', 'TextFileInitializer', 'experimental']
from headrace.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from headrace.lookup.tables import StaticHashTable as StaticHashTable
from headrace.lookup.bucketed_tables import StaticVocabularyTable as StaticVocabularyTable
from headrace.lookup.initializers import TextFileIndex as TextFileIndex
from headrace.lookup.initializers import TextFileInitializer as TextFileInitializer
from headrace.compat.v2.lookup import experimental as experimental
