# Made by tools/make_stubs.py.

__all__ = ['FastHashSpec', 'HashTable', 'HasherSpec', 'IdTableWithHashBuckets', 'InitializableLookupTableBase', 'KeyValueTensorInitializer', 'LookupInterface', 'MutableDenseHashTable', 'MutableHashTable', 'StrongHashSpec', 'TableInitializerBase', 'TextFileIdTableInitializer', 'TextFileIndex', 'TextFileInitializer', 'TextFileStringTableInitializer', 'index_table_from_file', 'index_table_from_tensor', 'index_to_string', 'index_to_string_table_from_file', 'index_to_string_table_from_tensor', 'string_to_index', 'string_to_index_table_from_file', 'string_to_index_table_from_tensor']
from headrace.lookup.bucketed_tables import FastHashSpec as FastHashSpec
from headrace.lookup.tables import HashTable as HashTable
from headrace.lookup.bucketed_tables import HasherSpec as HasherSpec
from headrace.lookup.bucketed_tables import IdTableWithHashBuckets as IdTableWithHashBuckets
from headrace.lookup.tables import InitializableLookupTableBase as InitializableLookupTableBase
from headrace.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from headrace.lookup.tables import LookupInterface as LookupInterface
from headrace.lookup.mutable_tables import MutableDenseHashTable as MutableDenseHashTable
from headrace.lookup.mutable_tables import MutableHashTable as MutableHashTable
from headrace.lookup.bucketed_tables import StrongHashSpec as StrongHashSpec
from headrace.lookup.initializers import TableInitializerBase as TableInitializerBase
from headrace.lookup.initializers import TextFileIdTableInitializer as TextFileIdTableInitializer
from headrace.lookup.initializers import TextFileIndex as TextFileIndex
from headrace.lookup.initializers import TextFileInitializer as TextFileInitializer
from headrace.lookup.initializers import TextFileStringTableInitializer as TextFileStringTableInitializer
from headrace.lookup.vocabularies import index_table_from_file as index_table_from_file
from headrace.lookup.vocabularies import index_table_from_mapping as index_table_from_tensor
from headrace.lookup.vocabularies import index_to_string as index_to_string
from headrace.lookup.vocabularies import index_to_string_table_from_file as index_to_string_table_from_file
from headrace.lookup.vocabularies import index_to_string_table_from_mapping as index_to_string_table_from_tensor
from headrace.lookup.vocabularies import string_to_index as string_to_index
from headrace.lookup.vocabularies import string_to_index_table_from_file as string_to_index_table_from_file
from headrace.lookup.vocabularies import string_to_index_table_from_tensor as string_to_index_table_from_tensor
