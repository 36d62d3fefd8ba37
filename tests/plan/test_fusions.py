"""Fused equals unfused: each fusion, in each of its examples, with whatever values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as tf
from headrace.plan.fusion import Example, FusionPass, Given
from headrace.plan.graph import all_nodes
from headrace.plan.passes import FUSIONS
from headrace.plan.pipeline import without

CASES = [
    pytest.param(each, example, id=f"{each.name}-{example.program.__name__}")
    for each in FUSIONS
    for example in each.fusion.examples
]


@st.composite
def feeds(draw: st.DrawFn, given: tuple[Given, ...]) -> list[np.ndarray]:
    """A value for each tensor and variable; sizes of one name are one size."""
    sizes: dict[str, int] = {}
    arrays = []
    for each in given:
        for size in each.shape:
            if isinstance(size, str) and size not in sizes:
                sizes[size] = draw(st.integers(1, 5), label=size)
        shape = tuple(sizes[size] if isinstance(size, str) else size for size in each.shape)
        if each.dtype in ("int32", "string"):
            array = draw(hnp.arrays(np.int32, shape, elements=st.integers(int(each.low), int(each.high))))
            if each.dtype == "string":
                array = np.array([b"w%d" % i for i in array.ravel()], object).reshape(shape)
        else:
            # Two draws stretched over the array: what hypothesis draws element by element is mostly one number.
            low, high = np.float32(each.low), np.float32(each.high)
            scale = draw(st.floats(0.0, 1.0, width=32))
            seed = draw(st.integers(0, 2**16))
            array = (low + (high - low) * np.float32(scale) * np.random.RandomState(seed).rand(*shape)).astype(
                each.dtype
            )
        arrays.append(array)
    return arrays


class Built:
    """The graph of an example."""

    def __init__(self, example: Example) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.set_random_seed(1)
            self.tensors, self.variables, self.loads, operands = [], [], [], []
            for i, each in enumerate(example.given):
                if each.is_variable:
                    variable = tf.get_variable(f"given{i}", list(each.shape), each.dtype, tf.zeros_initializer())
                    operands.append(variable)
                    self.variables.append(variable)
                else:
                    shape = [None if isinstance(size, str) else size for size in each.shape]
                    operands.append(tf.placeholder(each.dtype, shape))
                    self.tensors.append(operands[-1])
            self.fetches = tf.nest.flatten(example.program(tf, *operands))
            self.slots = tf.global_variables()
            self.init = [tf.global_variables_initializer(), tf.tables_initializer()]

    def run(self, example: Example, arrays: list[np.ndarray]) -> tuple[set[str], list[np.ndarray]]:
        """The op types of the step, and what it gives: the fetched values, and those of all variables after it."""
        with tf.Session(graph=self.graph) as session:
            session.run(self.init)
            given = dict(zip((*self.tensors_and_variables(example),), arrays, strict=True))
            for variable in self.variables:
                variable.load(given[variable], session)
            feed = {tensor: given[tensor] for tensor in self.tensors}
            plan = session.plan_for(self.fetches, self.tensors)
            types = {node.type for node in all_nodes(plan.graph.nodes)}
            values = [value for value in session.run(self.fetches, feed) if value is not None]
            return types, values + session.run(self.slots)

    def tensors_and_variables(self, example: Example) -> list:
        """What the program was given, in order."""
        tensors, variables = iter(self.tensors), iter(self.variables)
        return [next(variables if each.is_variable else tensors) for each in example.given]


@pytest.mark.parametrize(("each", "example"), CASES)
def test_fused_equals_unfused(each: FusionPass, example: Example):
    built = Built(example)

    @settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(feeds(example.given))
    def compare(arrays: list[np.ndarray]) -> None:
        types, fused = built.run(example, arrays)
        assert example.makes <= types, f"{each.name} found nothing to fuse among {sorted(types)}"
        with without(each.name):
            others, single = built.run(example, arrays)
        assert not example.makes & others
        for one, other in zip(fused, single, strict=True):
            if np.asarray(one).dtype.kind not in "fc":
                np.testing.assert_array_equal(one, other)
                continue
            # What is added up in another order differs by the rounding of the largest terms.
            largest = max(1.0, float(np.max(np.abs(other), initial=0.0)))
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-6 * largest)

    compare()


@pytest.mark.parametrize("each", FUSIONS, ids=lambda each: each.name)
def test_every_op_of_a_fusion_is_made_in_an_example(each: FusionPass):
    made = set().union(*(example.makes for example in each.fusion.examples))
    assert made == {decl.type for decl in each.fusion.makes}
