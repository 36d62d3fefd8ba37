"""tf.contrib.nearest_neighbor: hashing by hyperplanes."""

HOMES = {"ops.math.hyperplane_probes": "hyperplane_lsh_probes"}
