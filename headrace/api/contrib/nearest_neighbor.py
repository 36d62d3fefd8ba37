"""tf.contrib.nearest_neighbor: hashing by hyperplanes."""

HOMES = {"ops.math.hyperplane_probes": "hyperplane_lsh_probes"}

ABSENT = {"hyperplane_lsh_hash": "the first num_tables columns of hyperplane_lsh_probes are the hashes"}
