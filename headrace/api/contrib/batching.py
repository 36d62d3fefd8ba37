"""tf.contrib.batching: rows of several runs computed together."""

SPELLED = {"batch_function": "state.batching.nondifferentiable_batch_function"}

ABSENT = {"batch_function_v1": "Use tf.contrib.batching.batch_function."}
