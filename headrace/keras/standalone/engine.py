"""`keras.engine`: what Keras 1 and 2 had in its modules besides layers and models."""

from __future__ import annotations

from headrace.keras.engine.base_layer_utils import collect_previous_mask as _collect_previous_mask
from headrace.keras.engine.input_layer import InputLayer as InputLayer
from headrace.keras.engine.network import Network as Container
from headrace.keras.engine.training_arrays import batch_shuffle as batch_shuffle
from headrace.keras.engine.training_arrays import make_batches as make_batches
from headrace.keras.engine.training_arrays import slice_arrays as slice_arrays
from headrace.keras.engine.training_input_checks import check_array_lengths as check_array_lengths
from headrace.keras.engine.training_input_checks import check_loss_and_target_compatibility as _check_loss_and_target
from headrace.keras.engine.training_input_checks import check_num_samples as check_num_samples
from headrace.keras.engine.training_input_checks import standardize_class_weights as standardize_class_weights
from headrace.keras.engine.training_input_checks import standardize_input_data as standardize_input_data
from headrace.keras.engine.training_weights import standardize_weights as standardize_weights
from headrace.keras.standalone.merging import Merge as Merge
from headrace.keras.standalone.merging import merge as merge
from headrace.keras.utils.generic_utils import is_all_none, object_list_uid, to_list
from headrace.keras.utils.layer_utils import get_source_inputs as get_source_inputs
from headrace.layers.context import to_snake_case as _to_snake_case
from headrace.layers.input_spec import InputSpec as InputSpec
from headrace.layers.nodes import Node as Node

# As Keras called them before 2.2.
_to_list, _object_list_uid, _is_all_none = to_list, object_list_uid, is_all_none
slice_X = slice_arrays
_check_array_lengths, _check_loss_and_target_compatibility = check_array_lengths, _check_loss_and_target
check_array_length_consistency, check_loss_and_target_compatibility = check_array_lengths, _check_loss_and_target
_batch_shuffle, _make_batches, _slice_arrays = batch_shuffle, make_batches, slice_arrays
_standardize_class_weights, _standardize_input_data = standardize_class_weights, standardize_input_data
_standardize_weights = standardize_weights

__all__ = [
    "Container",
    "InputLayer",
    "InputSpec",
    "Merge",
    "Node",
    "_batch_shuffle",
    "_check_array_lengths",
    "_check_loss_and_target_compatibility",
    "_collect_previous_mask",
    "_is_all_none",
    "_make_batches",
    "_object_list_uid",
    "_slice_arrays",
    "_standardize_class_weights",
    "_standardize_input_data",
    "_standardize_weights",
    "_to_list",
    "_to_snake_case",
    "check_array_length_consistency",
    "check_array_lengths",
    "check_loss_and_target_compatibility",
    "check_num_samples",
    "get_source_inputs",
    "merge",
    "slice_X",
]
