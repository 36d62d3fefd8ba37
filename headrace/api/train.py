"""tf.train: optimizers, savers, hooks and their like."""

HOMES: dict[str, str] = {
    "graph_tools.quantize_training": "do_quantize_training_on_graphdef",
    "messages.graph_files": "write_graph",
    "files.events": "summary_iterator",
    "ops.string.fingerprint128": "sdca_fprint",
    "ops.train.dual_ascent": "sdca_optimizer sdca_shrink_l1",
    "messages.protos": "BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef "
    "SaverDef SequenceExample ServerDef",
    "files.checkpoint.reader": "NewCheckpointReader",
    "checkpoints.checkpoint": "Checkpoint",
    "checkpoints.checkpoint_manager": "CheckpointManager",
    "checkpoints.checkpoint_state": "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes "
    "get_checkpoint_state latest_checkpoint remove_checkpoint update_checkpoint_state",
    "checkpoints.checkpoint_utils": "checkpoints_iterator init_from_checkpoint list_variables load_checkpoint load_variable",
    "checkpoints.meta_graphs": "export_meta_graph import_meta_graph",
    "checkpoints.saver": "Saver",
    "checkpoints.warm_starting": "VocabInfo warm_start",
    "optimizers.adagrad": "AdagradDAOptimizer AdagradOptimizer FtrlOptimizer ProximalAdagradOptimizer",
    "optimizers.adam": "AdamOptimizer",
    "input_queues.batching": "batch batch_join maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
    "shuffle_batch shuffle_batch_join",
    "sessions.basic_loops": "basic_train_loop",
    "sessions.cluster": "ClusterSpec replica_device_setter",
    "sessions.server": "Server",
    "sessions.coordinator": "Coordinator LooperThread",
    "optimizers.decays": "cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay "
    "natural_exp_decay noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay",
    "optimizers.descent": "GradientDescentOptimizer MomentumOptimizer ProximalGradientDescentOptimizer",
    "optimizers.moving_averages": "ExponentialMovingAverage",
    "optimizers.optimizer": "Optimizer",
    "input_queues.producers": "input_producer limit_epochs match_filenames_once range_input_producer slice_input_producer "
    "string_input_producer",
    "sessions.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
    "optimizers.rmsprop": "AdadeltaOptimizer RMSPropOptimizer",
    "optimizers.sync_replicas": "SyncReplicasOptimizer",
    "sessions.hook_timers": "SecondOrStepTimer",
    "sessions.hooks": "FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError "
    "NanTensorHook StepCounterHook StopAtStepHook",
    "sessions.monitored_session": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession",
    "sessions.session_creators": "ChiefSessionCreator SessionCreator WorkerSessionCreator",
    "sessions.saving_hooks": "CheckpointSaverHook CheckpointSaverListener ProfilerHook SummarySaverHook",
    "sessions.scaffold": "Scaffold",
    "sessions.session_manager": "SessionManager",
    "sessions.session_run_hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
    "sessions.supervisor": "Supervisor",
    "state.global_step": "assert_global_step create_global_step get_global_step get_or_create_global_step global_step",
}

SPELLED: dict[str, str] = {
    "SummaryWriter": "summary.writer.FileWriter",
    "SyncReplicasOptimizerV2": "optimizers.sync_replicas.SyncReplicasOptimizer",
}

NESTED = {
    "experimental": {
        "optimizers.loss_scale": "DynamicLossScale FixedLossScale LossScale",
        "optimizers.loss_scale_optimizer": "MixedPrecisionLossScaleOptimizer",
        "optimizers.mixed_precision": "disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite",
        "checkpoints.python_state": "PythonState",
    },
    "queue_runner": {"sessions.queue_runner": "QueueRunner add_queue_runner start_queue_runners"},
}
