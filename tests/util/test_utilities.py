"""What TF1 programs import from 1.x's util folder: decorators, inspection, identity, lazy modules, benchmarks."""

from __future__ import annotations

import functools
import gc
import json

import pytest

import headrace as tf
from headrace.core import identity
from headrace.testing import benchmark
from headrace.util import decorators, export, inspection, lazy_loader


def plus(n):
    def decorate(f):
        return decorators.make_decorator(f, lambda *args: f(*args) + n, f"plus_{n}")

    return decorate


@plus(10)
@plus(1)
def target(x, y=2):
    """Adds."""
    return x + y


def test_decorators_are_looked_through():
    assert target(1, 1) == 13
    found, function = decorators.unwrap(target)
    assert [d.decorator_name for d in found] == ["plus_10", "plus_1"]
    assert function(1, 1) == 2
    assert (target.__name__, target.__doc__) == ("target", "Adds.")
    assert inspection.getfullargspec(target).args == ["x", "y"]
    assert "def target" in inspection.getsource(target)


def test_rewrap():
    def one(x):
        return x

    def other(x):
        return -x

    outer = decorators.make_decorator(one, lambda x: outer.__wrapped__(x), "outer")
    assert decorators.rewrap(outer, one, other)(3) == -3
    assert decorators.rewrap(one, one, other) is other


def test_keyword_args_only():
    f = decorators.keyword_args_only(lambda a, b=1: a + b)
    assert f(a=1) == 2
    with pytest.raises(ValueError):
        f(1)


class Estimator:
    def model_fn(self, features, labels, mode=None, **kwargs):
        return features

    def __call__(self, features, params):
        return features


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (Estimator().model_fn, ("features", "labels", "mode")),
        (Estimator.model_fn, ("self", "features", "labels", "mode")),
        (Estimator(), ("features", "params")),
        (functools.partial(Estimator().model_fn, 1, mode=2), ("labels",)),
        (lambda: None, ()),
        (target, ("x", "y")),
    ],
)
def test_fn_args(fn, args):
    assert inspection.fn_args(fn) == args


def test_signatures():
    assert inspection.has_kwargs(Estimator().model_fn)
    assert not inspection.has_kwargs(Estimator())
    assert inspection.get_func_name(Estimator().model_fn) == "Estimator.model_fn"
    assert inspection.getcallargs(target, 5) == {"x": 5, "y": 2}
    spec = inspection.getargspec(functools.partial(lambda a, b, c=3: None, 1))
    assert (spec.args, spec.defaults) == (["b", "c"], (3,))
    with pytest.raises(ValueError):
        inspection.getargspec(functools.partial(lambda m, n: None, m=1))


def test_identity_collections():
    a, b = [1], [1]
    mapping = identity.ObjectIdentityDictionary()
    mapping[a], mapping[b] = "a", "b"
    assert (mapping[a], mapping[b], len(mapping)) == ("a", "b", 2)
    assert [1] not in mapping
    kept = identity.ObjectIdentitySet([a, b, a])
    assert len(kept) == 2
    assert len(kept.difference([a])) == 1
    assert len(kept.intersection([a, [1]])) == 1

    class Thing:
        pass

    thing = Thing()
    weak = identity.ObjectIdentityWeakSet([thing])
    weak_mapping = identity.ObjectIdentityWeakKeyDictionary()
    weak_mapping[thing] = 1
    assert (thing in weak, weak_mapping[thing]) == (True, 1)
    del thing
    gc.collect()
    assert (len(weak), len(weak_mapping)) == (0, 0)


def test_lazy_loader_imports_when_used():
    scope: dict[str, object] = {}
    module = lazy_loader.LazyLoader("colors", scope, "colorsys")
    assert "colors" not in scope
    assert module.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert scope["colors"].__name__ == "colorsys"


def test_export_notes_names():
    @export.tf_export("math.double", v1=["double"])
    def double(x):
        return x

    assert export.get_v1_names(double) == ["double"]
    assert export.get_canonical_name_for_symbol(double) == "math.double"


def test_benchmark_is_reported(tmp_path, monkeypatch):
    class Small(tf.test.Benchmark):
        def benchmarkAdd(self):
            with tf.Session() as session:
                values = self.run_op_benchmark(session, tf.constant(1.0) + 1.0, min_iters=3, store_trace=True, mbs=1)
            assert json.loads(values["extras"]["full_trace_chrome_format"])["traceEvents"]

    monkeypatch.setenv(benchmark.TEST_REPORTER_TEST_ENV, str(tmp_path / "report_"))
    benchmark.run_benchmarks("Small.benchmarkAdd")
    entry = json.loads((tmp_path / "report_Small.benchmarkAdd").read_text())
    assert entry["iters"] == 3
    assert entry["wall_time"] > 0
    with pytest.raises(OSError, match="already"):
        benchmark.run_benchmarks("Small.benchmarkAdd")
    assert tf.test.Benchmark.is_abstract()


@pytest.mark.parametrize(
    ("load", "error"),
    [
        (tf.load_op_library, tf.errors.NotFoundError),
        (tf.load_file_system_library, tf.errors.NotFoundError),
        (tf.load_library, FileNotFoundError),
    ],
)
def test_libraries_that_are_not_there(tmp_path, load, error):
    path = str(tmp_path / "no.so")
    with pytest.raises(error, match=r"no\.so"):
        load(path)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.load_op_library(__file__),
        lambda: tf.load_library(__file__),
        lambda: tf.load_file_system_library(__file__),
        lambda: tf.sysconfig.get_include(),
    ],
)
def test_what_is_not_here_says_what_to_do(call):
    with pytest.raises(NotImplementedError) as raised:
        call()
    assert str(raised.value).startswith(("tf.", "test_util."))


def test_switches_that_are_set_already():
    for switch in ("eager_execution", "v2_tensorshape", "tensor_equality", "control_flow_v2", "v2_behavior"):
        getattr(tf, f"disable_{switch}")()
    assert not tf.executing_eagerly()


def test_functional_control_flow_computes_the_same():
    tf.enable_control_flow_v2()
    try:
        assert tf.control_flow_v2_enabled()
        with tf.Session() as sess:
            assert sess.run(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])) == 3
    finally:
        tf.disable_control_flow_v2()
    assert not tf.control_flow_v2_enabled()


def test_devices():
    from headrace.devices.listing import list_local_devices

    (cpu, *_) = list_local_devices()
    assert (cpu.name, cpu.device_type) == ("/device:CPU:0", "CPU")
    assert cpu.memory_limit > 0
