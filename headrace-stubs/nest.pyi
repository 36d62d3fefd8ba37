# Made by tools/make_stubs.py.

__all__ = ['assert_same_structure', 'flatten', 'is_nested', 'map_structure', 'pack_sequence_as']
from headrace.core.nest import assert_same_structure as assert_same_structure
from headrace.core.nest import flatten as flatten
from headrace.core.nest import is_nested as is_nested
from headrace.core.nest import map_structure as map_structure
from headrace.core.nest import pack_sequence_as as pack_sequence_as
