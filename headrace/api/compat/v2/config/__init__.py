"""tf.compat.v2.config: the names that mean the same in 1.x."""

HOMES = {
    "config": "experimental_list_devices get_soft_device_placement set_soft_device_placement",
}
