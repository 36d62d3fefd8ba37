"""tf.config: devices and the options of sessions without a ConfigProto."""

HOMES: dict[str, str] = {
    "config.settings": "experimental_connect_to_cluster experimental_connect_to_host "
    "experimental_list_devices get_soft_device_placement set_soft_device_placement",
}

SPELLED: dict[str, str] = {
    "experimental_run_functions_eagerly": "state.polymorphic_function.run_functions_eagerly",
}

NESTED: dict[str, dict[str, str]] = {
    "experimental": {
        "config.settings": "VirtualDeviceConfiguration get_device_policy get_memory_growth get_synchronous_execution "
        "get_virtual_device_configuration get_visible_devices list_logical_devices list_physical_devices "
        "set_device_policy set_memory_growth set_synchronous_execution set_virtual_device_configuration "
        "set_visible_devices",
    },
    "threading": {
        "config.settings": "get_inter_op_parallelism_threads get_intra_op_parallelism_threads "
        "set_inter_op_parallelism_threads set_intra_op_parallelism_threads",
    },
    "optimizer": {"config.optimizer_options": "get_experimental_options get_jit set_experimental_options set_jit"},
}
