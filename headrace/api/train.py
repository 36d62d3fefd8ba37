"""tf.train: optimizers, savers, hooks and their like."""

HOMES: dict[str, str] = {
    "graph_tools.quantize_training": "do_quantize_training_on_graphdef",
    "interop.graph_files": "write_graph",
    "files.events": "summary_iterator",
    "ops.string.fingerprint128": "sdca_fprint",
    "ops.train.dual_ascent": "sdca_optimizer sdca_shrink_l1",
    "interop.protos": "BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef "
    "SaverDef SequenceExample ServerDef",
    "files.checkpoint.reader": "NewCheckpointReader",
    "train.checkpoint": "Checkpoint",
    "train.checkpoint_manager": "CheckpointManager",
    "train.checkpoint_state": "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes "
    "get_checkpoint_state latest_checkpoint remove_checkpoint update_checkpoint_state",
    "train.checkpoint_utils": "checkpoints_iterator init_from_checkpoint list_variables load_checkpoint load_variable",
    "train.meta_graphs": "export_meta_graph import_meta_graph",
    "train.saver": "Saver",
    "train.warm_starting": "VocabInfo warm_start",
    "train.adagrad": "AdagradDAOptimizer AdagradOptimizer FtrlOptimizer ProximalAdagradOptimizer",
    "train.adam": "AdamOptimizer",
    "train.batching": "batch batch_join maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join "
    "shuffle_batch shuffle_batch_join",
    "train.basic_loops": "basic_train_loop",
    "train.cluster": "ClusterSpec replica_device_setter",
    "train.server": "Server",
    "train.coordinator": "Coordinator LooperThread",
    "train.decays": "cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay "
    "natural_exp_decay noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay",
    "train.descent": "GradientDescentOptimizer MomentumOptimizer ProximalGradientDescentOptimizer",
    "train.moving_averages": "ExponentialMovingAverage",
    "train.optimizer": "Optimizer",
    "train.producers": "input_producer limit_epochs match_filenames_once range_input_producer slice_input_producer "
    "string_input_producer",
    "train.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
    "train.rmsprop": "AdadeltaOptimizer RMSPropOptimizer",
    "train.sync_replicas": "SyncReplicasOptimizer",
    "train.hook_timers": "SecondOrStepTimer",
    "train.hooks": "FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError "
    "NanTensorHook StepCounterHook StopAtStepHook",
    "train.monitored_session": "ChiefSessionCreator MonitoredSession MonitoredTrainingSession SessionCreator "
    "SingularMonitoredSession WorkerSessionCreator",
    "train.saving_hooks": "CheckpointSaverHook CheckpointSaverListener ProfilerHook SummarySaverHook",
    "train.scaffold": "Scaffold",
    "train.session_manager": "SessionManager",
    "train.session_run_hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
    "train.supervisor": "Supervisor",
    "train.steps": "assert_global_step create_global_step get_global_step get_or_create_global_step global_step",
}

SPELLED: dict[str, str] = {
    "SummaryWriter": "summary.writer.FileWriter",
}

NESTED = {
    "experimental": {
        "train.loss_scale": "DynamicLossScale FixedLossScale LossScale",
        "train.loss_scale_optimizer": "MixedPrecisionLossScaleOptimizer",
        "train.mixed_precision": "disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite",
        "train.python_state": "PythonState",
    }
}
