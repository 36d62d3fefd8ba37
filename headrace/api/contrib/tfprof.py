"""tf.contrib.tfprof: `tf.profiler` before it had its own name."""

HOMES = {"profiler.profile_context": "ProfileContext"}

NESTED = {
    "model_analyzer": {
        "profiler.contrib": "FLOAT_OPS_OPTIONS PRINT_ALL_TIMING_MEMORY TRAINABLE_VARS_PARAMS_STAT_OPTIONS print_model_analysis",
        "profiler.advice": "ALL_ADVICE",
        "profiler.analyzer": "Profiler advise",
    },
    "tfprof_logger": {"profiler.analyzer": "write_op_log"},
}
