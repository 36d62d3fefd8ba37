"""tf.tpu.experimental."""

HOMES = {"contrib.tpu.refusals": "DeviceAssignment initialize_tpu_system"}
