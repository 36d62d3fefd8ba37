"""tf.contrib.hooks."""

HOMES = {"train.saving_hooks": "ProfilerHook"}
