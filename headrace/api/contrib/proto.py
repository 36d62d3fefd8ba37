"""tf.contrib.proto, which is not here: protocol buffers as ops."""

_ADVICE = "use tf.parse_example, or a message class in tf.py_func"

ABSENT = dict.fromkeys(
    (
        "decode_proto",
        "encode_proto",
    ),
    _ADVICE,
)
