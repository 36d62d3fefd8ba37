"""1.x's `test_util`: decorators of test methods, and what tests ask of the build and of devices."""

from __future__ import annotations

import contextlib
import functools
import re
import unittest
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.config import behavior
from headrace.core.defaults import device as device_scope
from headrace.core.defaults import get_default_graph
from headrace.core.eager import eager_mode, graph_mode
from headrace.core.errors import OutOfRangeError
from headrace.core.graph import Graph
from headrace.devices.listing import gpu_device_name, is_built_with_cuda, is_built_with_rocm, is_gpu_available
from headrace.runtime.session import Session
from headrace.state.polymorphic_function import function
from headrace.testing.test_case import CapturedWrites, EagerSessionWarner, FakeEagerSession, TestCase
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.messages import protos


__all__ = ["CapturedWrites", "EagerSessionWarner", "FakeEagerSession", "Session", "gpu_device_name", "is_gpu_available"]

TensorFlowTestCase = TestCase

Decorator = Callable[..., Any]

# ---- what the build is ----


def IsMklEnabled() -> bool:
    """Whether this is TensorFlow built with MKL: no."""
    return False


def IsBuiltWithROCm() -> bool:
    """Whether the kernels can use ROCm."""
    return is_built_with_rocm()


def IsGoogleCudaEnabled() -> bool:
    """Whether the kernels can use CUDA."""
    return is_built_with_cuda()


def GpuSupportsHalfMatMulAndConv() -> bool:
    """Whether the GPU multiplies float16 matrices."""
    return is_gpu_available(cuda_only=True, min_cuda_compute_capability=(5, 3))


def is_xla_enabled() -> bool:
    """Whether tests run through XLA: no."""
    return False


# ---- decorators that choose how a test runs ----


def _for_methods(function: Any, decorate: Callable[[Any], Any]) -> Any:
    """Applies to a method at once, or gives a decorator where there is none yet."""
    return decorate if function is None else decorate(function)


def run_in_graph_and_eager_modes(
    func: Callable[..., Any] | None = None,
    config: protos.ConfigProto | None = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Runs a test method twice: as a graph, with a default session, and with operations that run as they are made.

    Args:
        func: the method.
        config: a `ConfigProto` for the session.
        use_gpu: whether operations may go to a GPU.
        reset_test: whether `tearDown` and `setUp` are called in between.
        assert_no_eager_garbage: whether what the second run leaves behind is an error; nothing is watched.

    Raises:
        ValueError: if it is applied to a class.
    """

    def decorate(method: Any) -> Any:
        if isinstance(method, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                "`run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            # A test that skips itself in one mode does not skip the other.
            with contextlib.suppress(unittest.SkipTest), self.test_session(use_gpu=use_gpu, config=config):
                method(self, *args, **kwargs)
            if reset_test:
                self.tearDown()
                self._tempdir = None
            self._runs_eagerly = True
            try:
                with Graph().as_default(), eager_mode():
                    forget_eager_names()
                    if reset_test:
                        self.setUp()
                    with contextlib.nullcontext() if use_gpu else device_scope("/device:CPU:0"):
                        method(self, *args, **kwargs)
            finally:
                self._runs_eagerly = False

        return run

    return _for_methods(func, decorate)


def forget_eager_names() -> None:
    """Lets eager execution begin anew: with no collections, no global step, no variable scopes."""
    with eager_mode():
        get_default_graph()._collections.clear()
        get_default_graph()._scopes.name_stack = ""


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Runs the test methods of a class as `run_in_graph_and_eager_modes` does, those for graphs only as they are."""
    for name in dir(cls):
        if name.startswith("test") and not name.startswith(("testSkipEager", "test_skip_eager", "test_session")):
            value = getattr(cls, name)
            if callable(value):
                setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


def py_func_if_in_function(f: Any) -> Any:
    """The check itself; inside a function's body it would run as an operation."""
    return f


def also_run_as_tf_function(f: Any) -> Any:
    """Runs a test with operations that run as they are made, and once more as the body of a `tf.function`.

    Args:
        f: a method, or a function inside of one.
    """

    @functools.wraps(f)
    def run(*args: Any, **kwargs: Any) -> None:
        with eager_mode():
            f(*args, **kwargs)
            function(lambda: f(*args, **kwargs), autograph=False)()

    return run


def build_as_function_and_v1_graph(func: Callable[..., Any] | None = None) -> Any:
    """Runs a test method twice: in a new graph, and as the body of a `tf.function`."""

    def decorate(method: Any) -> Any:
        if isinstance(method, type):
            raise ValueError("`run_in_graph_mode_and_function` only supports test methods.")

        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default():
                method(self, *args, **kwargs)
            with eager_mode():
                # A body returns tensors or nothing; what the method returns is for nobody.
                function(lambda: method(self, *args, **kwargs) and None, autograph=False)()

        return run

    return _for_methods(func, decorate)


def deprecated_graph_mode_only(func: Callable[..., Any] | None = None) -> Any:
    """Runs a test method, or every one of a class, as a graph only."""

    def decorate(target: Any) -> Any:
        if isinstance(target, type):
            return for_all_test_methods(deprecated_graph_mode_only)(target)

        @functools.wraps(target)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            with graph_mode():
                return target(self, *args, **kwargs)

        return run

    return _for_methods(func, decorate)


run_deprecated_v1 = run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only


def run_v1_only(reason: str, func: Callable[..., Any] | None = None) -> Any:
    """Runs a test under the ways of 1.x only; these are the only ones.

    Args:
        reason: why it would not work otherwise.
        func: the method or class.

    Raises:
        ValueError: if `reason` is not a string.
    """
    if not isinstance(reason, str):
        raise ValueError(f"'reason' should be string, got {type(reason)}")
    return _for_methods(func, lambda target: target)


def _skipping(unless: Callable[[], bool], reason: str) -> Callable[[Any], Any]:
    def decorate(method: Any) -> Any:
        if isinstance(method, type):
            raise ValueError("This decorator only supports test methods.")

        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not unless():
                self.skipTest(reason)
            return method(self, *args, **kwargs)

        return run

    return decorate


def run_v2_only(func: Callable[..., Any] | None = None) -> Any:
    """Skips a test method that needs the ways of TensorFlow 2."""
    return _for_methods(func, _skipping(lambda: False, "Test is only compatible with v2"))


def run_gpu_only(func: Callable[..., Any] | None = None) -> Any:
    """Skips a test method where there is no GPU."""
    return _for_methods(func, _skipping(is_gpu_available, "Test requires GPU"))


def run_cuda_only(func: Callable[..., Any] | None = None) -> Any:
    """Skips a test method where there is no GPU that CUDA drives."""
    return _for_methods(func, _skipping(lambda: is_gpu_available(cuda_only=True), "Test requires CUDA GPU"))


def skip_if(condition: Any) -> Callable[[Any], Any]:
    """A decorator that leaves a function out if `condition` (or what calling it gives) is true."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if not (condition() if callable(condition) else condition):
                return function(*args, **kwargs)
            return None

        return run

    return decorate


def for_all_test_methods(decorator: Decorator, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """A class decorator that applies `decorator(*args, **kwargs)` to every test method."""

    def decorate(cls: type) -> type:
        for name in dir(cls):
            value = getattr(cls, name)
            if callable(value) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorate


def enable_control_flow_v2(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a test with `tf.enable_control_flow_v2` in force."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        before = behavior.control_flow_v2_enabled()
        behavior.enable_control_flow_v2()
        try:
            return fn(*args, **kwargs)
        finally:
            if not before:
                behavior.disable_control_flow_v2()

    return run


def with_control_flow_v2(cls: type) -> type:
    """Would run a class's tests both ways; they run with branches and loops built of Switch and Merge."""
    return cls


def _marker(description: str) -> Callable[[Any], Any]:
    """Says something of a test that does not apply here: XLA, functions."""
    if not isinstance(description, str):
        raise ValueError(f"'description' should be string, got {type(description)}")
    return lambda func: func


def disable_control_flow_v2(unused_msg: Any) -> Callable[[Any], Any]:
    """Runs a test with branches and loops built of Switch and Merge; so it does already."""
    return lambda func: func


def disable_cudnn_autotune(func: Any) -> Any:
    """The function as it is: which kernel of cuDNN runs is not found out by trying here."""
    return func


disable_xla = no_xla_auto_jit = xla_allow_fallback = enable_tf_xla_constant_folding = _marker


def _unchanged(fn: Any) -> Any:
    """The test itself: what the decorator would change or watch does not exist here."""
    return fn


enable_c_shapes = with_c_shapes = use_deterministic_cudnn = enable_output_all_intermediates = _unchanged
# These watch what an eager run leaves behind.
assert_no_new_pyobjects_executing_eagerly = assert_no_new_tensors = assert_no_garbage_created = _unchanged


# ---- devices ----


@contextlib.contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """A context in which operations are made on the GPU if `use_gpu` and there is one, else on the CPU."""
    name = gpu_device_name() if use_gpu else ""
    with device_scope(name or "/device:CPU:0"):
        yield


@contextlib.contextmanager
def use_gpu() -> Iterator[None]:
    """A context in which operations are made on the GPU if there is one."""
    with device(use_gpu=True):
        yield


@contextlib.contextmanager
def force_gpu() -> Iterator[None]:
    """A context in which operations are made on the GPU."""
    with device_scope("/device:GPU:0"):
        yield


@contextlib.contextmanager
def force_cpu() -> Iterator[None]:
    """A context in which operations are made on the CPU."""
    with device_scope("/device:CPU:0"):
        yield


class ErrorLoggingSession(Session):
    """A session that logs what fails in `run`, except reaching the end of a dataset."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """As of `Session`."""
        try:
            return super().run(*args, **kwargs)
        except Exception as error:
            if not isinstance(error, OutOfRangeError):
                tf_logging.error(str(error))
            raise


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[dict[str, Any]]:
    """Every combination of the arguments' values, as dicts with a `testcase_name` for absl's named_parameters.

    Args:
        **kwargs: for each argument a value or a list of values.
    """
    combinations: list[dict[str, Any]] = [{}]
    for key in sorted(kwargs):
        values = kwargs[key] if isinstance(kwargs[key], list) else [kwargs[key]]
        combinations = [{**before, key: value} for before in combinations for value in values]
    for combination in combinations:
        words = [re.sub(r"[\W_]", "", str(word)) for pair in combination.items() for word in pair]
        combination["testcase_name"] = "_".join(["_test", *words])
    return combinations
