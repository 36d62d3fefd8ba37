"""tf.contrib.framework."""

HOMES = {
    "contrib.framework.arg_scope": "add_arg_scope arg_scope arg_scoped_arguments current_arg_scope has_arg_scope",
    "contrib.framework.checkpoints": "assign_from_checkpoint assign_from_checkpoint_fn init_from_checkpoint "
    "list_variables load_checkpoint load_variable",
    "contrib.framework.graph_util": "fuse_op",
    "contrib.framework.placeholders": "get_placeholders",
    "contrib.framework.py_func": "py_func",
    "contrib.framework.tensor_util": "assert_scalar_int reduce_sum_n remove_squeezable_dimensions with_same_shape "
    "with_shape",
    "contrib.framework.variables": "VariableDeviceChooser add_model_variable assert_or_get_global_step assign_from_values "
    "assign_from_values_fn filter_variables "
    "get_local_variables get_model_variables get_trainable_variables get_unique_variable get_variable_full_name "
    "get_variables get_variables_by_name get_variables_by_suffix get_variables_to_restore global_variable "
    "local_variable model_variable variable zero_initializer",
    "core.composite": "convert_to_tensor_or_sparse_tensor",
    "core.framework_ops": "get_name_scope prepend_name_scope strip_name_scope",
    "core.nest": "assert_same_structure flatten flatten_dict_items is_nested is_sequence is_sequence_or_composite "
    "map_structure pack_sequence_as",
    "core.nest_paths": "assert_shallow_structure flatten_up_to flatten_with_joined_string_paths "
    "flatten_with_tuple_paths flatten_with_tuple_paths_up_to get_traverse_shallow_structure map_structure_up_to "
    "map_structure_with_paths map_structure_with_tuple_paths map_structure_with_tuple_paths_up_to yield_flat_paths",
    "core.tensor_util": "is_tensor",
    "core.type_specs": "TensorSpec",
    "core.bounded_tensor_spec": "BoundedTensorSpec",
    "functions.flow.checks": "assert_same_float_dtype assert_scalar is_non_decreasing is_numeric_tensor is_strictly_increasing",
    "functions.readers.record_input": "RecordInput",
    "state.initializers": "convolutional_delta_orthogonal",
    "state.orthogonal_kernels": "convolutional_orthogonal_1d convolutional_orthogonal_2d convolutional_orthogonal_3d",
    "functions.array.sort": "argsort sort",
    "functions.flow.case": "smart_case smart_cond smart_constant_value",
    "util.deprecation": "deprecated deprecated_arg_values deprecated_args",
    "checkpoints.vocabularies": "load_and_remap_matrix_initializer load_embedding_initializer "
    "load_linear_multiclass_bias_initializer load_variable_slot_initializer",
    "state.global_step": "assert_global_step create_global_step get_global_step get_or_create_global_step",
}

SPELLED = {
    "CriticalSection": "state.critical_section.CriticalSection",
    "get_graph_from_inputs": "core.defaults.graph_of_inputs",
    "nest": "python.util.nest",
}
