"""tf.contrib.framework."""

HOMES = {
    "contrib.framework.variables": "add_model_variable assign_from_values assign_from_values_fn filter_variables "
    "get_local_variables get_model_variables get_trainable_variables get_unique_variable get_variable_full_name "
    "get_variables get_variables_by_name get_variables_by_suffix get_variables_to_restore global_variable "
    "local_variable model_variable variable",
}
