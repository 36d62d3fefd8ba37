"""tf.contrib.checkpoint."""

HOMES = {
    "state.capturing": "capture_dependencies",
    "contrib.checkpoint.splitting": "split_dependency",
    "train.checkpoint": "dot_graph_from_checkpoint list_objects object_metadata",
    "train.checkpoint_manager": "CheckpointManager",
    "train.python_state": "NumpyState UniqueNameTracker",
    "train.tracking": "List Mapping NoDependency",
}

SPELLED = {
    "PythonStateWrapper": "train.python_state.PythonState",
    "Checkpointable": "train.tracking.AutoTrackable",
    "CheckpointableBase": "train.tracking.Trackable",
    "CheckpointableObjectGraph": "interop.protos.TrackableObjectGraph",
}
