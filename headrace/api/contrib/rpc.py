"""tf.contrib.rpc, which is not here: remote procedure calls as ops."""

_ADVICE = "call a client library in tf.py_func"

ABSENT = dict.fromkeys(["rpc", "try_rpc"], _ADVICE)
