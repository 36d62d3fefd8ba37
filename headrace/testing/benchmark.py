"""`tf.test.Benchmark`: timings of graphs, reported by name."""

from __future__ import annotations

import inspect
import json
import numbers
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.app import running as app
from headrace.core.defaults import get_default_session
from headrace.messages import protos
from headrace.profiler.timeline import Timeline
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FeedDict, SessionLike


# Every benchmark class that is no mere base.
GLOBAL_BENCHMARK_REGISTRY: set[type] = set()

# Where results are written: <prefix><class.method>, one JSON document each.
TEST_REPORTER_TEST_ENV = "TEST_REPORT_FILE_PREFIX"


def _reported(values: dict[str, Any]) -> None:
    extras, metrics = values.get("extras"), values.get("metrics")
    if extras is not None and not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    if metrics is not None and not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics or ():
        for key in ("name", "value"):
            if key not in metric:
                raise TypeError(f"metric must has a {key!r} field")
    tf_logging.info("Benchmark %s", values)
    entry = {key: value for key, value in values.items() if value is not None}
    if extras:
        entry["extras"] = {k: v if isinstance(v, numbers.Number) else str(v) for k, v in extras.items()}
    text = json.dumps(entry, default=float)
    prefix = os.environ.get(TEST_REPORTER_TEST_ENV)
    if prefix is None:
        print(text)
        return
    path = prefix + values["name"].replace("/", "__")
    if os.path.exists(path):
        raise OSError(f"File already exists: {path}")
    with open(path, "w") as file:
        file.write(text)


class Benchmark:
    """The base of benchmarks: methods whose names begin with `benchmark` are run by `--benchmarks=<regex>`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.is_abstract():
            GLOBAL_BENCHMARK_REGISTRY.add(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this class is only the base of others."""
        return cls.__dict__.get("_base", False) or cls is Benchmark

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """`Class.method` of the outermost benchmark method that is running."""
        for frame in reversed(inspect.stack(context=0)):
            if isinstance(frame.frame.f_locals.get("self"), Benchmark):
                owner = type(frame.frame.f_locals["self"]).__name__
                return f"{owner}.{overwrite_name or frame.function}"
        raise ValueError("Unable to determine calling Benchmark class.")

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Reports a result: to a file under the prefix TEST_REPORT_FILE_PREFIX, or by printing it, as JSON.

        Args:
            iters: how many times it ran.
            cpu_time, wall_time: seconds a run.
            throughput: megabytes a second.
            extras: further numbers or strings by name.
            name: the name to report in place of the method's.
            metrics: dicts with "name" and "value", and "min_value" and "max_value" where there are bounds.

        Raises:
            TypeError: if `extras` or `metrics` have another form; OSError: if the file is there already.
        """
        _reported(
            {
                "name": self._get_name(name),
                "iters": iters,
                "cpu_time": cpu_time,
                "wall_time": wall_time,
                "throughput": throughput,
                "extras": extras,
                "metrics": metrics,
            }
        )


class TensorFlowBenchmark(Benchmark):
    """Benchmarks of operations.

    Example:
        >>> class MatMulBenchmark(tf.test.Benchmark):
        ...     def benchmarkSmall(self):
        ...         with tf.Session() as sess:
        ...             self.run_op_benchmark(sess, tf.matmul(tf.ones([8, 8]), tf.ones([8, 8])))
    """

    _base = True

    def run_op_benchmark(
        self,
        sess: SessionLike,
        op_or_tensor: Tensor,
        feed_dict: FeedDict | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Times an operation and reports the median.

        Args:
            sess: a session.
            op_or_tensor: what to run.
            feed_dict: what to feed.
            burn_iters: runs before the timing begins.
            min_iters: runs to time.
            store_trace: whether to add a chrome trace to the extras returned.
            store_memory_usage: whether to add the most memory allocated to the extras.
            name: the name to report.
            extras: further numbers or strings to report.
            mbs: megabytes a run moves, for the throughput.

        Returns:
            what was reported, by argument of `report_benchmark`.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.perf_counter() - start)
        extras = {} if extras is None else extras
        unreported = {}
        if store_trace or store_memory_usage:
            metadata = protos.RunMetadata()
            options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
            sess.run(op_or_tensor, feed_dict=feed_dict, options=options, run_metadata=metadata)
            timeline = Timeline(metadata.step_stats)
            if store_trace:
                unreported["full_trace_chrome_format"] = timeline.generate_chrome_trace_format()
            if store_memory_usage:
                for allocator, most in timeline.analyze_step_stats().allocator_maximums.items():
                    extras[f"allocator_maximum_num_bytes_{allocator}"] = most.num_bytes
        median = statistics.median(times) if times else -1.0
        values: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": extras,
            "name": name,
            "throughput": mbs / median,
        }
        self.report_benchmark(**values)
        extras.update(unreported)
        return values

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session.

        Raises:
            ValueError: without a default session.
        """
        session = get_default_session()
        if session is None:
            raise ValueError("Benchmark.evaluate needs a default session: use `with tf.Session():`.")
        return session.run(tensors)


def benchmark_config() -> Any:
    """A `ConfigProto` for benchmarks: one without the optimizations that could drop what is to be timed."""
    config = protos.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = protos.RewriterConfig.OFF
    return config


def run_benchmarks(regex: str) -> None:
    """Runs the benchmark methods whose `module.Class.method` the expression is found in ("all": every one)."""
    for kind in sorted(GLOBAL_BENCHMARK_REGISTRY, key=lambda k: (k.__module__, k.__qualname__)):
        methods = [name for name in dir(kind) if name.startswith("benchmark") and callable(getattr(kind, name))]
        chosen = [
            name for name in methods if regex == "all" or re.search(regex, f"{kind.__module__}.{kind.__name__}.{name}")
        ]
        instance = kind() if chosen else None
        for name in chosen:
            getattr(instance, name)()


def benchmarks_main(true_main: Callable[[], Any], argv: list[str] | None = None) -> None:
    """Runs benchmarks if `--benchmarks=<regex>` is among the arguments, else `true_main`."""
    argv = sys.argv if argv is None else argv
    selected = [arg for arg in argv if re.match("--?benchmarks=", arg)]
    if not selected:
        true_main()
        return
    argv.remove(selected[0])
    regex = selected[0].partition("=")[2]
    app.run(lambda _: run_benchmarks(regex), argv=argv)
