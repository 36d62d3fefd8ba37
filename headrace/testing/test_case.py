"""`tf.test.TestCase`: a unittest case with sessions and comparisons of arrays."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from absl.testing import absltest

from headrace.app import running as app
from headrace.core import nest
from headrace.core.composite import IndexedSlices, IndexedSlicesValue, SparseTensor, SparseTensorValue
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.eager import executing_eagerly, forget_collections
from headrace.core.framework_ops import _default_graph_stack
from headrace.core.graph import Graph
from headrace.core.random_seed import DEFAULT_GRAPH_SEED
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.messages import protos
from headrace.runtime.session import Session
from headrace.testing.assertions import Assertions
from headrace.testing.benchmark import benchmarks_main

if TYPE_CHECKING:
    from headrace.core.typing import Fetches


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
test_src_dir_path.__test__ = False  # type: ignore[attr-defined]  # functions take any attribute


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


class TestCase(Assertions):
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
        forget_collections()
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
        self,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
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
        self,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
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
        config: protos.ConfigProto | None = None,
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
        self,
        graph: Graph | None = None,
        config: protos.ConfigProto | None = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
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
            with self.captureWritesToStream(sys.stderr) as printed:
                tf.Print(x, [x]).eval()
            self.assertIn("[3]", printed.contents())
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

    def run(self, fetches: Fetches, *args: Any, **kwargs: Any) -> Any:
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
        if isinstance(item, RaggedTensor):
            return RaggedTensorValue(value(item.values), value(item.row_splits))
        if not hasattr(item, "numpy"):
            raise ValueError(f"Unsupported type {type(item)}.")
        return item.numpy()

    return nest.map_structure(value, tensors)


def _config(config: protos.ConfigProto, force_gpu: bool) -> Any:
    """The configuration of a test's session: operations for a GPU may run on the CPU, unless the GPU is forced."""
    if config is None:
        return protos.ConfigProto(allow_soft_placement=not force_gpu)
    if force_gpu and config.allow_soft_placement:
        copy = protos.ConfigProto()
        copy.CopyFrom(config)
        copy.allow_soft_placement = False
        return copy
    return config


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
