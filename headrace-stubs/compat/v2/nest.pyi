# Made by tools/make_stubs.py.

__all__ = ['assert_same_structure', 'flatten', 'is_nested', 'map_structure', 'pack_sequence_as']
from headrace.nest import assert_same_structure as assert_same_structure
from headrace.nest import flatten as flatten
from headrace.nest import is_nested as is_nested
from headrace.nest import map_structure as map_structure
from headrace.nest import pack_sequence_as as pack_sequence_as
