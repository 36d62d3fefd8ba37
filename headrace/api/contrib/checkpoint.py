"""tf.contrib.checkpoint."""

HOMES = {
    "train.checkpoint": "dot_graph_from_checkpoint list_objects object_metadata",
    "train.checkpoint_manager": "CheckpointManager",
    "train.tracking": "List Mapping NoDependency",
}

SPELLED = {
    "Checkpointable": "train.tracking.AutoTrackable",
    "CheckpointableBase": "train.tracking.Trackable",
    "CheckpointableObjectGraph": "interop.protos.TrackableObjectGraph",
}
