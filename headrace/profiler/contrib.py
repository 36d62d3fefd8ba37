"""The options of `tf.contrib.tfprof`, from before there was a builder of them."""

from __future__ import annotations

from typing import Any

from headrace.profiler.analyzer import profile
from headrace.profiler.options import ProfileOptionBuilder

TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory()).order_by("name").build()


def print_model_analysis(
    graph: Any, run_meta: Any = None, op_log: Any = None, tfprof_cmd: str = "scope", tfprof_options: Any = 0
) -> Any:
    """`tf.profiler.profile` under its older name.

    Example:
        >>> tf.contrib.tfprof.model_analyzer.print_model_analysis(
        ...     tf.get_default_graph(),
        ...     tfprof_options=tf.contrib.tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS)
    """
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options or None)
