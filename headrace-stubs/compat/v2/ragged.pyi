# Made by tools/make_stubs.py.

__all__ = ['boolean_mask', 'constant', 'map_flat_values', 'range', 'row_splits_to_segment_ids', 'segment_ids_to_row_splits', 'stack', 'stack_dynamic_partitions']
from headrace.ragged import boolean_mask as boolean_mask
from headrace.ragged import constant as constant
from headrace.ragged import map_flat_values as map_flat_values
from headrace.ragged import range as range
from headrace.ragged import row_splits_to_segment_ids as row_splits_to_segment_ids
from headrace.ragged import segment_ids_to_row_splits as segment_ids_to_row_splits
from headrace.ragged import stack as stack
from headrace.ragged import stack_dynamic_partitions as stack_dynamic_partitions
