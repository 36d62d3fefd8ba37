"""tf.contrib.checkpoint."""

HOMES = {
    "state.capturing": "capture_dependencies",
    "contrib.checkpoint.splitting": "split_dependency",
    "checkpoints.checkpoint": "dot_graph_from_checkpoint list_objects object_metadata",
    "checkpoints.checkpoint_manager": "CheckpointManager",
    "checkpoints.python_state": "NumpyState UniqueNameTracker",
    "checkpoints.containers": "List Mapping",
    "state.dependencies": "NoDependency",
}

SPELLED = {
    "PythonStateWrapper": "checkpoints.python_state.PythonState",
    "Checkpointable": "checkpoints.auto_trackable.AutoTrackable",
    "CheckpointableBase": "checkpoints.tracking.Trackable",
    "CheckpointableObjectGraph": "messages.protos.TrackableObjectGraph",
}
