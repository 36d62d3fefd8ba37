"""tf.contrib.training."""

HOMES = {
    "contrib.training.bucketing": "bucket bucket_by_sequence_length",
    "contrib.training.evaluation": "SummaryAtEndHook evaluate_repeatedly train",
    "input_queues.feeding": "FeedingQueueRunner",
    "contrib.training.hparams": "HParams parse_values",
    "messages.protos": "HParamDef",
    "checkpoints.checkpoint_utils": "checkpoints_iterator wait_for_new_checkpoint",
    "sessions.evaluating": "StopAfterNEvalsHook evaluate_once get_or_create_eval_step",
    "contrib.training.placing": "GreedyLoadBalancingStrategy RandomStrategy byte_size_load_fn",
    "contrib.training.resampling": "resample_at_rate weighted_resample",
    "contrib.training.sampling": "rejection_sample stratified_sample",
    "contrib.training.sequence_batching": "batch_sequences_with_states",
    "contrib.training.sequence_states": "NextQueuedSequenceBatch SequenceQueueingStateSaver",
    "contrib.training.failure_tolerator": "FailureTolerator",
    "contrib.training.train_ops": "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op "
    "multiply_gradients",
}
