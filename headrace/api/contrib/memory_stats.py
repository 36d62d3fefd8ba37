"""tf.contrib.memory_stats, which is not here: memory of devices as ops."""

_ADVICE = "read torch.cuda.memory_allocated, or resource.getrusage on a CPU, in tf.py_func"

ABSENT = dict.fromkeys(
    (
        "BytesInUse",
        "BytesLimit",
        "MaxBytesInUse",
    ),
    _ADVICE,
)
