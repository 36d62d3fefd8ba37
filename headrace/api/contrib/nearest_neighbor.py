"""tf.contrib.nearest_neighbor, which is not here: hashing by hyperplanes."""

_ADVICE = "compute tf.matmul(points, hyperplanes) > 0 and pack the bits with tf.reduce_sum"

ABSENT = dict.fromkeys(
    (
        "hyperplane_lsh_hash",
        "hyperplane_lsh_probes",
    ),
    _ADVICE,
)
