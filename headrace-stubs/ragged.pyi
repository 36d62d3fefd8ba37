# Made by tools/make_stubs.py.

__all__ = ['RaggedTensorValue', 'boolean_mask', 'constant', 'constant_value', 'map_flat_values', 'placeholder', 'range', 'row_splits_to_segment_ids', 'segment_ids_to_row_splits', 'stack', 'stack_dynamic_partitions']
from headrace.functions.ragged.value import RaggedTensorValue as RaggedTensorValue
from headrace.functions.ragged.selecting import boolean_mask as boolean_mask
from headrace.functions.ragged.factory import constant as constant
from headrace.functions.ragged.factory import constant_value as constant_value
from headrace.functions.ragged.elementwise import map_flat_values as map_flat_values
from headrace.functions.ragged.factory import placeholder as placeholder
from headrace.functions.ragged.math import range as range
from headrace.functions.ragged.segment_ids import row_splits_to_segment_ids as row_splits_to_segment_ids
from headrace.functions.ragged.segment_ids import segment_ids_to_row_splits as segment_ids_to_row_splits
from headrace.functions.ragged.joining import stack as stack
from headrace.functions.ragged.selecting import stack_dynamic_partitions as stack_dynamic_partitions
