"""`tf.data.Options`: how a pipeline is optimized, threaded and measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class OptionsBase:
    """A set of named settings, each with a type; what is not set has a default."""

    _settings: ClassVar[dict[str, tuple[Any, Callable[[], Any]]]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._settings:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        options = self._options
        if name not in options:
            options[name] = self._settings[name][1]()
        return options[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._settings:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._settings[name][0]
        if not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)!r})')
        self._options[name] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._settings)

    def __hash__(self) -> int:
        return id(self)

    def _merged(self, other: Any) -> Any:
        result, default = type(self)(), type(self)()
        for name in self._settings:
            mine, theirs, preset = getattr(self, name), getattr(other, name), getattr(default, name)
            if theirs == preset:
                chosen = mine
            elif mine == preset:
                chosen = theirs
            elif isinstance(mine, OptionsBase):
                chosen = mine._merged(theirs)
            elif mine == theirs:
                chosen = mine
            else:
                raise ValueError(f"Cannot merge incompatible values ({mine!r} and {theirs!r}) of option: {name}")
            if chosen is not None:
                setattr(result, name, chosen)
        return result


def _nothing() -> None:
    return None


class MapVectorizationOptions(OptionsBase):
    """Whether maps are vectorized: kept for programs that set it; results do not depend on it."""

    _settings: ClassVar[dict[str, Any]] = {"enabled": (bool, _nothing), "use_choose_fastest": (bool, _nothing)}

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

    _settings: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(
            (*_OPTIMIZATIONS, "apply_default_optimizations", "autotune", "autotune_buffers"), (bool, _nothing)
        ),
        "autotune_algorithm": (int, _nothing),
        "autotune_cpu_budget": (int, _nothing),
        "map_vectorization": (MapVectorizationOptions, MapVectorizationOptions),
    }

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
        return self.map_vectorization._static_optimization_configs()  # type: ignore[no-any-return]


class DistributeOptions(OptionsBase):
    """How a pipeline is divided among workers."""

    _settings: ClassVar[dict[str, Any]] = {
        "auto_shard": (bool, lambda: True),
        "_make_stateless": (bool, _nothing),
        "num_devices": (int, _nothing),
    }


class StatsOptions(OptionsBase):
    """What a pipeline measures."""

    _settings: ClassVar[dict[str, Any]] = {
        "aggregator": (object, _nothing),
        "prefix": (str, str),
        "counter_prefix": (str, str),
        "latency_all_edges": (bool, _nothing),
    }


class ThreadingOptions(OptionsBase):
    """The threads of a pipeline: kept for programs that set them."""

    _settings: ClassVar[dict[str, Any]] = {
        "max_intra_op_parallelism": (int, _nothing),
        "private_threadpool_size": (int, _nothing),
    }


class Options(OptionsBase):
    """The options of a dataset: see `Dataset.with_options`.

    Example:
        >>> options = tf.data.Options()
        >>> options.experimental_deterministic = False
        >>> dataset = dataset.with_options(options)
    """

    _settings: ClassVar[dict[str, Any]] = {
        "experimental_deterministic": (bool, _nothing),
        "experimental_distribute": (DistributeOptions, DistributeOptions),
        "experimental_optimization": (OptimizationOptions, OptimizationOptions),
        "experimental_slack": (bool, _nothing),
        "experimental_stats": (StatsOptions, StatsOptions),
        "experimental_threading": (ThreadingOptions, ThreadingOptions),
        "experimental_stateful_whitelist": (list, _nothing),
    }

    def merge(self, options: Options) -> Options:
        """The options of both.

        Raises:
            ValueError: if they differ in an option that both set.
        """
        merged: Options = self._merged(options)
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
        return names  # type: ignore[no-any-return]

    def _static_optimization_configs(self) -> list[str]:
        configs = self.experimental_optimization._static_optimization_configs()
        if self.experimental_slack:
            configs.append(f"slack:slack_period:{self.experimental_distribute.num_devices or 1}")
        return configs  # type: ignore[no-any-return]
