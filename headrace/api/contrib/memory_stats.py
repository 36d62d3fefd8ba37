"""tf.contrib.memory_stats: the memory of devices."""

HOMES = {"ops.state.memory": "BytesInUse BytesLimit MaxBytesInUse"}
