"""tf.compat.v2.train: the names that mean the same in 1.x."""

HOMES = {
    "train": "BytesList Checkpoint CheckpointManager ClusterDef ClusterSpec Coordinator Example ExponentialMovingAverage "
    "Feature FeatureList FeatureLists Features FloatList Int64List JobDef SequenceExample ServerDef "
    "checkpoints_iterator get_checkpoint_state latest_checkpoint list_variables load_checkpoint "
    "load_variable",
}
