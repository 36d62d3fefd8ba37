"""tf.contrib.hooks."""

HOMES = {"sessions.saving_hooks": "ProfilerHook"}
