"""tf.contrib.libsvm: the LIBSVM format."""

HOMES = {"ops.parsing.libsvm": "decode_libsvm"}
