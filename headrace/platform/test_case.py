"""`tf.test.TestCase`: a unittest case with sessions and comparisons of arrays."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import random
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np
from absl.testing import absltest

from headrace.core import errors, nest
from headrace.core.composite import IndexedSlices, IndexedSlicesValue, SparseTensor, SparseTensorValue
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.device import canonical_name
from headrace.core.eager import executing_eagerly
from headrace.core.graph import PRODUCER_VERSION, Graph
from headrace.core.internals import _default_graph_stack
from headrace.core.operation import Tensor
from headrace.core.random_seed import DEFAULT_GRAPH_SEED
from headrace.interop import protos
from headrace.platform import app
from headrace.platform.benchmark import benchmarks_main
from headrace.runtime.session import Session

_BFLOAT16 = "bfloat16"


_temp_dir: str | None = None


def get_temp_dir() -> str:
    """A directory for the files of this test run, removed at its end; under TEST_TMPDIR where that is set."""
    global _temp_dir
    if _temp_dir is None:
        folder = os.environ.get("TEST_TMPDIR")
        if folder:
            os.makedirs(folder, exist_ok=True)
        script = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        _temp_dir = tempfile.mkdtemp(prefix=f"{script}_", dir=folder or None)
        atexit.register(shutil.rmtree, _temp_dir, ignore_errors=True)
    return _temp_dir


def test_src_dir_path(relative_path: str) -> str:
    """Where a file of the source tree lies, below the environment variable TEST_SRCDIR.

    Args:
        relative_path: a path in TensorFlow's source tree.

    Raises:
        KeyError: if TEST_SRCDIR is not set.
    """
    return os.path.join(os.environ["TEST_SRCDIR"], "org_tensorflow/tensorflow", relative_path)


# pytest collects functions of this name wherever they are imported.
test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the script, or its benchmarks with `--benchmarks=<regex>`.

    Args:
        argv: the program's name and arguments; `sys.argv` by default. Flags are parsed first.
    """
    arguments = sys.argv if argv is None else argv

    def run_tests() -> None:
        app.run(main=lambda rest: absltest.main(argv=list(rest)), argv=arguments)

    benchmarks_main(run_tests, arguments)


class CapturedWrites:
    """What was written to a stream: `contents()`."""

    def __init__(self, capture_location: str) -> None:
        self.capture_location = capture_location

    def contents(self) -> str:
        """All of it as one string."""
        with open(self.capture_location) as file:
            return file.read()


class TestCase(absltest.TestCase):
    """A test with a new default graph and fixed seeds.

    Example:
        >>> class SquareTest(tf.test.TestCase):
        ...     def test_square(self):
        ...         with self.session():
        ...             self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Session | None = None
        self._cached_for: tuple[Any, Any, bool] = (None, None, False)
        self._tempdir: str | None = None
        self._threads: list[_CheckedThread] = []
        # Whether this is the second run of a method, with operations that run as they are made.
        self._runs_eagerly = False

    def setUp(self) -> None:
        """Starts with an empty graph and the same seeds each time."""
        super().setUp()
        self._clear_cached_session()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        if not self._runs_eagerly:
            # A test that failed inside `with graph.as_default()` may have left its graph on the stack.
            _default_graph_stack.reset()
        get_default_graph().seed = DEFAULT_GRAPH_SEED
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def tearDown(self) -> None:
        """Ends the session and complains of threads that were not joined."""
        for thread in self._threads:
            thread.check_termination()
        self._clear_cached_session()
        super().tearDown()

    def _clear_cached_session(self) -> None:
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    def get_temp_dir(self) -> str:
        """A directory of this test's own."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._tempdir

    # ---- sessions ----

    @contextlib.contextmanager
    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Session]:
        """A new session as the default one; with its graph as the default one too.

        Args:
            graph: the graph to run, the default graph by default.
            config: a `ConfigProto`.
            use_gpu: whether operations may go to a GPU; otherwise they stay on the CPU.
            force_gpu: whether operations must go to a GPU.

        Where operations run as they are made there is no session; what is given then says so when it is used.
        """
        if executing_eagerly():
            yield EagerSessionWarner()  # type: ignore[misc]  # stands for a session
            return
        session = Session(graph=graph, config=_config(config, force_gpu))
        try:
            with self._as_default(session, use_gpu, force_gpu):
                yield session
        finally:
            session.close()

    @contextlib.contextmanager
    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Session]:
        """As `session`, but the same one throughout a test method.

        Raises:
            ValueError: if it was first entered with another graph, config or `force_gpu`.
        """
        if executing_eagerly():
            yield FakeEagerSession(self)  # type: ignore[misc]  # stands for a session
            return
        session = self._get_cached_session(graph, config, force_gpu, crash_if_inconsistent_args=True)
        with self._as_default(session, use_gpu, force_gpu):
            yield session

    def _get_cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        force_gpu: bool = False,
        crash_if_inconsistent_args: bool = True,
    ) -> Session:
        if self._cached is None:
            self._cached = Session(graph=graph, config=_config(config, force_gpu))
            self._cached_for = (graph, config, force_gpu)
        elif crash_if_inconsistent_args:
            for what, new, old in zip(
                ("graph", "config", "force_gpu value"), (graph, config, force_gpu), self._cached_for
            ):
                if new is not old:
                    raise ValueError(
                        f"The {what} used to get the cached session is different than the one that was used to create "
                        "the session. Maybe create a new session with self.session()"
                    )
        return self._cached

    @contextlib.contextmanager
    def test_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Session]:
        """The session of the test method, whatever it was first entered with; a new one for a graph of its own."""
        if executing_eagerly():
            yield FakeEagerSession(self)  # type: ignore[misc]  # stands for a session
            return
        if graph is None:
            session = self._get_cached_session(graph, config, force_gpu, crash_if_inconsistent_args=False)
            with self._as_default(session, use_gpu, force_gpu):
                yield session
        else:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session

    @contextlib.contextmanager
    def _as_default(self, session: Session, use_gpu: bool, force_gpu: bool) -> Iterator[None]:
        with session.graph.as_default(), session.as_default():
            if force_gpu:
                with session.graph.device("/device:GPU:0"):
                    yield
            elif use_gpu:
                yield
            else:
                with session.graph.device("/device:CPU:0"):
                    yield

    def evaluate(self, tensors: Any) -> Any:
        """The values of `tensors` in the default session, or in a new one; what a function of that name returns."""
        if executing_eagerly():
            return _values_of(tensors() if callable(tensors) else tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """Captures what is written to a stream with a file descriptor, by kernels as well as by Python.

        Example:
            >>> with self.captureWritesToStream(sys.stderr) as printed:
            ...     tf.Print(x, [x]).eval()
            >>> self.assertIn("[3]", printed.contents())
        """
        stream.flush()
        descriptor = stream.fileno()
        handle, path = tempfile.mkstemp(dir=self.get_temp_dir())
        original = os.dup(descriptor)
        os.dup2(handle, descriptor)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.close(handle)
            os.dup2(original, descriptor)
            os.close(original)

    # ---- threads ----

    def checkedThread(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> _CheckedThread:
        """A thread whose exceptions fail the test when it is joined."""
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    # ---- arrays ----

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
            value = self.evaluate(value)
        array = _as_array(value)
        return array.astype(np.float32) if array.dtype.name == _BFLOAT16 else array

    def _GetNdArray(self, a: Any) -> np.ndarray:
        if isinstance(a, Tensor):
            a = self.evaluate(a)
        return _as_array(a)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Checks that two (nested structures of) arrays agree within `atol + rtol * |b|`."""
        self._check_all_close(a, b, rtol, atol, "", msg)

    def _check_all_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
        if isinstance(a, Mapping):
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self._check_all_close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        if isinstance(a, (list, tuple)):
            try:
                self._check_arrays_close(a, b, rtol, atol, path, msg)
            except (ValueError, TypeError):
                if len(a) != len(b):
                    raise ValueError(
                        f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg or ''}"
                    ) from None
                for i, (x, y) in enumerate(zip(a, b, strict=True)):
                    self._check_all_close(x, y, rtol, atol, f"{path}[{i}]", msg)
            return
        self._check_arrays_close(a, b, rtol, atol, path, msg)

    def _check_arrays_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch{path}: expected {a.shape}, got {b.shape}. {msg or ''}")
        if a.dtype == object or b.dtype == object:
            raise TypeError(f"Neither numbers nor arrays of them at {path or 'the root'}: {a}, {b}")
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"{path} {msg or ''}", equal_nan=True)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with tolerances for the coarser of the two types."""
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        names = {a.dtype.name, b.dtype.name}
        for kinds, relative, absolute in (
            (("float32", "complex64"), float_rtol, float_atol),
            (("float16",), half_rtol, half_atol),
            ((_BFLOAT16,), bfloat16_rtol, bfloat16_atol),
        ):
            if names.intersection(kinds):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        """Checks that two arrays do not agree."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Checks that two arrays have the same shape and elements; NaN equals NaN."""
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        same = np.asarray(a == b)
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        if not np.all(same):
            different = ~same
            where = np.nonzero(np.atleast_1d(different))
            raise AssertionError(f"not equal where {where}\nleft: {a[different]}\nright: {b[different]}\n{msg or ''}")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Checks that two arrays differ somewhere."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Checks that every element is greater than the target."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Checks that every element is less than the target."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Checks that no element is less than the target."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Checks that no element is greater than the target."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Checks that all elements lie between the bounds."""
        array = self._array(target)
        if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has type: {array.dtype}"
            )
        self._no_offenders(np.isnan(array), array, "NaN")
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        bounds = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
        self._no_offenders(low | high, array, f"outside the range {bounds}")

    def _no_offenders(self, offending: Any, array: np.ndarray, what: str) -> None:
        places = np.argwhere(offending)
        if len(places):
            shown = [f"  {place} : {array[tuple(place)]}" for place in places[:10]]
            if len(places) > len(shown):
                shown.append("  ...")
            raise AssertionError(
                f"{len(places)} of the {array.size} element(s) are {what}. Subscript(s) and value(s) of the offending "
                "elements:\n" + "\n".join(shown)
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Checks that all elements are among the expected ones."""
        unknown = np.setdiff1d(self._array(target).ravel(), list(expected_set))
        if unknown.size:
            raise AssertionError(f"{unknown.size} unique element(s) are not in the set {expected_set}: {unknown}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Checks the NumPy element type of an array or tensor."""
        self.assertEqual(self._GetNdArray(target).dtype, expected_dtype)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Checks that the norm of the difference is below `err`."""
        near = self._NDArrayNear(ndarray1, ndarray2, err)
        self.assertTrue(near, msg or f"the norm of the difference is not below {err}")

    def _NDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float) -> bool:
        return bool(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)) < err)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Checks that two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r} ({msg or ''})")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Checks that two arrays differ by at most `err` in each element."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    # ---- messages, names, shapes ----

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Checks how a string begins."""
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}"))

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None) -> None:
        """Checks that two messages are equal; the first may be in text form."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            from google.protobuf import text_format  # type: ignore[import-untyped]

            expected = text_format.Merge(expected, type(message)())
        elif not isinstance(expected, type(message)):
            raise AssertionError(f"Can't compare protos of type {type(expected)} and {type(message)}. {msg or ''}")
        if expected != message:
            # The texts show where; where they do not, the messages differ in the sign of a zero or the like.
            self.assertMultiLineEqual(str(expected), str(message), msg)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = PRODUCER_VERSION,
        min_consumer: int = 0,
        msg: str | None = None,
    ) -> None:
        """`assertProtoEquals` of a GraphDef in text form, without its versions, and one with these versions."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
        self.assertProtoEquals(versions + expected, actual, msg=msg)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: str | None = None) -> None:
        """Checks that a tensor's static shape is the array's."""
        if not isinstance(np_array, (np.ndarray, np.generic)):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not isinstance(tf_tensor, Tensor):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Checks that two device names mean the same."""
        self.assertEqual(canonical_name(device1), canonical_name(device2), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]  # 1.x's form is a context only
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Checks that an exception is raised whose text matches a regular expression or which satisfies a predicate."""
        try:
            yield
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")
        except Exception as error:
            if not isinstance(error, exception_type) or not _matches(error, expected_err_re_or_predicate):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """`assertRaisesWithPredicateMatch` for the errors of operations."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    # The names of Python 2's unittest, which 1.x's tests use.
    assertItemsEqual = absltest.TestCase.assertCountEqual
    assertRaisesRegexp = absltest.TestCase.assertRaisesRegex


class EagerSessionWarner:
    """Stands for a session where operations run as they are made; any use of it is refused."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name!r} of the result of self.session(): there is no session while executing eagerly. Use "
            "self.evaluate(), or run the test as a graph."
        )


class FakeEagerSession:
    """Stands for a session where operations run as they are made, for tests that run what they have.

    Args:
        test_case: the test.
    """

    def __init__(self, test_case: TestCase) -> None:
        self._test_case = test_case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of tensors.

        Raises:
            RuntimeError: if something is fed, or options are given.
        """
        if kwargs.pop("feed_dict", None):
            raise RuntimeError("feed_dict is not supported while executing eagerly: sess.run(t) means t.numpy() there.")
        if args or kwargs:
            raise RuntimeError("Options are not supported while executing eagerly: sess.run(t) means t.numpy() there.")
        return self._test_case.evaluate(fetches)


def _values_of(tensors: Any) -> Any:
    """The arrays of eager tensors in a structure; None stays."""

    def value(item: Any) -> Any:
        if item is None:
            return None
        if isinstance(item, SparseTensor):
            return SparseTensorValue(*(value(part) for part in (item.indices, item.values, item.dense_shape)))
        if isinstance(item, IndexedSlices):
            shape = value(item.dense_shape)
            return IndexedSlicesValue(value(item.values), value(item.indices), shape)
        if not hasattr(item, "numpy"):
            raise ValueError(f"Unsupported type {type(item)}.")
        return item.numpy()

    return nest.map_structure(value, tensors)


def _config(config: Any, force_gpu: bool) -> Any:
    """The configuration of a test's session: operations for a GPU may run on the CPU, unless the GPU is forced."""
    if config is None:
        return protos.ConfigProto(allow_soft_placement=not force_gpu)
    if force_gpu and config.allow_soft_placement:
        copy = protos.ConfigProto()
        copy.CopyFrom(config)
        copy.allow_soft_placement = False
        return copy
    return config


def _as_array(value: Any) -> np.ndarray:
    """An array of anything; where the parts have different shapes, an array of these parts."""
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.asarray(value)
    except ValueError:
        parts = np.empty(len(value), object)
        parts[:] = list(value)
        return parts


def _matches(error: Exception, expected: Any) -> Any:
    """Whether the text of an error, with the names of the operations it came from, is the expected one."""
    if callable(expected):
        return expected(error)
    text = error.message if isinstance(error, errors.OpError) else str(error)
    op = error.op if isinstance(error, errors.OpError) else None
    while op is not None:
        text += f"\nCaused by: {op.name}"
        op = op._original_op
    return re.search(expected, text)


class _CheckedThread:
    """A thread whose exceptions are raised as test failures by `join`."""

    def __init__(self, case: TestCase, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._case = case
        self._exception: BaseException | None = None
        self._joined = False

        def protected() -> None:
            try:
                target(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 (told by join)
                self._exception = error

        self._thread = threading.Thread(target=protected, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread; fails the test if it raised."""
        self._joined = True
        self._thread.join()
        if self._exception is not None:
            self._case.fail(f"Error in checkedThread: {self._exception}")

    def is_alive(self) -> bool:
        """Whether it is still running."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was not joined."""
        if not self._joined:
            self._case.fail("A checked thread was not joined.")
