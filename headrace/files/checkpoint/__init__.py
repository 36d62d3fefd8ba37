"""The files of checkpoints: tensor bundles (V2), tables of slices (V1), and the tables both are made of."""
