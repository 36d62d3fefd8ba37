"""tf.contrib.proto: protocol buffer messages as tensors of their fields."""

HOMES = {"ops.parsing.protos": "decode_proto encode_proto"}
