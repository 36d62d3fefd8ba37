"""Kernels for one type of device beside the generic ones."""

import numpy as np
import pytest
from cases import ACCEPTED, Applied, assert_close

import headrace as tf
from headrace.core.registry import REGISTRY, find, op


@pytest.fixture
def doubled():
    """An op whose kernel on CPUs doubles, and whose generic one fails."""
    decl = op("TestOfDevices", "x: float -> y: float")
    decl.shape(lambda op: [op.inputs[0].dims])

    @decl.kernel
    def generic(node):
        raise AssertionError("the generic kernel")

    yield decl
    del REGISTRY["TestOfDevices"]


def test_the_kernel_of_a_device_comes_before_the_generic_one(doubled):
    doubled.kernel_on("cpu")(lambda node: lambda x: x * 2)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        assert session.run(doubled(x), {x: [1.0, 3.0]}).tolist() == [2.0, 6.0]


def test_other_devices_have_the_generic_one(doubled):
    doubled.kernel_on("cuda")(lambda node: lambda x: x * 2)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.OpError, match="the generic kernel"):
            session.run(doubled(x), {x: [1.0]})


@pytest.mark.parametrize("device_type", ["gpu", "CPU", ""])
def test_only_types_of_devices_that_torch_names_have_kernels(doubled, device_type):
    with pytest.raises(ValueError, match=f"TestOfDevices: expected .*'cpu', 'cuda'.*, got '{device_type}'"):
        doubled.kernel_on(device_type)


def test_a_device_has_one_kernel(doubled):
    doubled.kernel_on("cpu")(lambda node: lambda x: x * 2)
    with pytest.raises(ValueError, match="TestOfDevices has a kernel for 'cpu' already"):
        doubled.kernel_on("cpu")(lambda node: lambda x: x * 3)


def values_of_case(decl, case):
    """What a case gives, and the types."""
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        return applied.run(applied.targets), [tensor.dtype.name for tensor in applied.targets]


@pytest.mark.parametrize(("decl", "case"), [param for param in ACCEPTED if "cpu" in param.values[0].device_kernels])
def test_kernels_for_cpus_give_what_the_generic_ones_give(decl, case, monkeypatch):
    particular, dtypes = values_of_case(decl, case)
    monkeypatch.setattr(decl, "device_kernels", {})
    generic, _ = values_of_case(decl, case)
    for value, expected, dtype in zip(particular, generic, dtypes, strict=True):
        assert_close(value, expected, dtype)


@pytest.mark.parametrize("op_type", ["MatMul", "Where"])
def test_kernels_for_cpus_agree_with_the_generic_ones_where_there_is_much_to_do(op_type, monkeypatch):
    rng = np.random.RandomState(5)
    arguments = {
        "MatMul": [rng.rand(300, 900).astype(np.float32), rng.rand(900, 400).astype(np.float32)],
        "Where": [rng.rand(200, 300) > 0.7],
    }[op_type]

    def result():
        with tf.Graph().as_default(), tf.Session() as session:
            fed = [tf.placeholder(a.dtype, a.shape) for a in arguments]
            return session.run(find(op_type)(*fed), dict(zip(fed, arguments, strict=True)))

    with_particular = result()
    monkeypatch.setattr(find(op_type), "device_kernels", {})
    generic = result()
    np.testing.assert_allclose(with_particular, generic, rtol=1e-5)
    assert with_particular.dtype == generic.dtype
