"""tf.contrib.learn.monitors: what is called around the steps of a training."""

HOMES = {
    "contrib.learn.monitors": "BaseMonitor CaptureVariable EveryN LoggingTrainable NanLoss PrintTensor StopAtStep",
    "contrib.learn.writing_monitors": "CheckpointSaver ExportMonitor GraphDump StepCounter SummarySaver "
    "get_default_monitors",
    "contrib.learn.validation_monitor": "ValidationMonitor",
    "contrib.learn.monitor_hooks": "RunHookAdapterForMonitors replace_monitors_with_hooks",
    "sessions.hooks": "NanLossDuringTrainingError",
    "messages.protos": "SessionLog Summary",
}
