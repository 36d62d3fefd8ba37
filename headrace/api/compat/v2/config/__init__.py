"""tf.compat.v2.config: the names that mean the same in 1.x."""

HOMES = {
    "config": "experimental_connect_to_cluster experimental_connect_to_host experimental_list_devices "
    "experimental_run_functions_eagerly get_soft_device_placement set_soft_device_placement",
}
