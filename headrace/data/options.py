"""`tf.data.Options`: how a pipeline is optimized, threaded and measured."""

from __future__ import annotations

from headrace.data.option_sets import OptionsBase, create_option, merge_options
from headrace.data.stats_aggregator import StatsAggregator

_ACCEPTED = "Accepted for programs that set it; pipelines give the same elements and are as fast either way."


class MapVectorizationOptions(OptionsBase):
    """Whether maps are vectorized: kept for programs that set it; results do not depend on it."""

    enabled = create_option("enabled", bool, _ACCEPTED)
    use_choose_fastest = create_option("use_choose_fastest", bool, _ACCEPTED)

    def _static_optimizations(self) -> list[str]:
        return ["map_vectorization"] if self.enabled else []

    def _static_optimization_configs(self) -> list[str]:
        return [f"map_vectorization:use_choose_fastest:{'true' if self.use_choose_fastest else 'false'}"]


_OPTIMIZATIONS = [
    "filter_fusion",
    "filter_with_random_uniform_fusion",
    "hoist_random_uniform",
    "map_and_batch_fusion",
    "map_and_filter_fusion",
    "map_parallelization",
    "map_fusion",
    "noop_elimination",
    "parallel_batch",
    "shuffle_and_repeat_fusion",
]


class OptimizationOptions(OptionsBase):
    """Which rewrites a pipeline gets. The fusion of shuffle and repeat changes the order of elements; others do not."""

    apply_default_optimizations = create_option(
        "apply_default_optimizations", bool, "Whether rewrites that are done by default are done; True if unset."
    )
    autotune = create_option("autotune", bool, "Whether the pipeline is behind the op that tunes it; True if unset.")
    autotune_algorithm = create_option("autotune_algorithm", int, _ACCEPTED)
    autotune_buffers = create_option("autotune_buffers", bool, _ACCEPTED)
    autotune_cpu_budget = create_option("autotune_cpu_budget", int, _ACCEPTED)
    filter_fusion = create_option("filter_fusion", bool, _ACCEPTED)
    filter_with_random_uniform_fusion = create_option("filter_with_random_uniform_fusion", bool, _ACCEPTED)
    hoist_random_uniform = create_option("hoist_random_uniform", bool, _ACCEPTED)
    map_and_batch_fusion = create_option("map_and_batch_fusion", bool, _ACCEPTED)
    map_and_filter_fusion = create_option("map_and_filter_fusion", bool, _ACCEPTED)
    map_fusion = create_option("map_fusion", bool, _ACCEPTED)
    map_parallelization = create_option("map_parallelization", bool, _ACCEPTED)
    map_vectorization = create_option("map_vectorization", MapVectorizationOptions, _ACCEPTED, MapVectorizationOptions)
    noop_elimination = create_option("noop_elimination", bool, _ACCEPTED)
    parallel_batch = create_option("parallel_batch", bool, _ACCEPTED)
    shuffle_and_repeat_fusion = create_option(
        "shuffle_and_repeat_fusion", bool, "Whether a shuffle and the repeat after it are one; True if unset."
    )

    def _static_optimizations(self) -> list[str]:
        chosen = {name for name in _OPTIMIZATIONS if getattr(self, name)}
        if self.apply_default_optimizations is not False:
            defaults = ("map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion")
            chosen.update(name for name in defaults if getattr(self, name) is not False)
        chosen.update(self.map_vectorization._static_optimizations())
        if self.autotune is not False and self.autotune_buffers:
            chosen.add("inject_prefetch")
        return sorted(chosen)

    def _static_optimization_configs(self) -> list[str]:
        return self.map_vectorization._static_optimization_configs()


class DistributeOptions(OptionsBase):
    """How a pipeline is divided among workers."""

    auto_shard = create_option("auto_shard", bool, "Whether each worker reads its part only.", lambda: True)
    _make_stateless = create_option("_make_stateless", bool, _ACCEPTED)
    num_devices = create_option("num_devices", int, "How many devices of a worker take elements.")


class StatsOptions(OptionsBase):
    """What a pipeline measures."""

    aggregator = create_option("aggregator", StatsAggregator, "The `StatsAggregator` that measurements go to.")
    prefix = create_option("prefix", str, "What the names of measurements begin with.", str)
    counter_prefix = create_option("counter_prefix", str, "What the names of counters begin with.", str)
    latency_all_edges = create_option("latency_all_edges", bool, "Whether each transformation is measured.")


class ThreadingOptions(OptionsBase):
    """The threads of a pipeline: kept for programs that set them."""

    max_intra_op_parallelism = create_option("max_intra_op_parallelism", int, _ACCEPTED)
    private_threadpool_size = create_option("private_threadpool_size", int, _ACCEPTED)


class Options(OptionsBase):
    """The options of a dataset: see `Dataset.with_options`.

    Example:
        >>> options = tf.data.Options()
        >>> options.experimental_deterministic = False
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
    """

    experimental_deterministic = create_option(
        "experimental_deterministic", bool, "Whether parallel transformations keep the order; True if unset."
    )
    experimental_distribute = create_option(
        "experimental_distribute", DistributeOptions, "How workers divide the pipeline.", DistributeOptions
    )
    experimental_optimization = create_option(
        "experimental_optimization", OptimizationOptions, "Which rewrites it gets.", OptimizationOptions
    )
    experimental_slack = create_option("experimental_slack", bool, _ACCEPTED)
    experimental_stats = create_option("experimental_stats", StatsOptions, "What it measures.", StatsOptions)
    experimental_threading = create_option("experimental_threading", ThreadingOptions, "Its threads.", ThreadingOptions)
    experimental_stateful_whitelist = create_option("experimental_stateful_whitelist", list, _ACCEPTED)

    def merge(self, options: Options) -> Options:
        """The options of both.

        Raises:
            ValueError: if they differ in an option that both set.
        """
        merged: Options = merge_options(self, options)
        return merged

    def _static_optimizations(self) -> list[str]:
        names = self.experimental_optimization._static_optimizations()
        if self.experimental_deterministic is False:
            names.append("make_sloppy")
        if self.experimental_stats.latency_all_edges:
            names.append("latency_all_edges")
        if self.experimental_slack:
            names.append("slack")
        if self.experimental_distribute._make_stateless:
            names.append("make_stateless")
        return names

    def _static_optimization_configs(self) -> list[str]:
        configs = self.experimental_optimization._static_optimization_configs()
        if self.experimental_slack:
            configs.append(f"slack:slack_period:{self.experimental_distribute.num_devices or 1}")
        return configs
