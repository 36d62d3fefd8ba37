"""Fused equals unfused: each fusion, in each of its examples, with whatever values."""

from __future__ import annotations

import importlib
import pkgutil
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as tf
from headrace.core.registry import find
from headrace.plan import fusions
from headrace.plan.fusion import Example, Fusion, FusionPass, Given
from headrace.plan.graph import all_nodes
from headrace.plan.history import recorded
from headrace.plan.passes import FUSIONS
from headrace.plan.pipeline import without
from headrace.plan.rewriting import HasAll

CASES = [
    pytest.param(each, example, id=f"{each.name}-{example.program.__name__}")
    for each in FUSIONS
    for example in each.fusion.examples
]


MODULES = [module.name for module in pkgutil.walk_packages(fusions.__path__, f"{fusions.__name__}.")]


@pytest.mark.parametrize("module", MODULES)
def test_every_fusion_is_a_pass(module: str):
    declared = {each for each in vars(importlib.import_module(module)).values() if isinstance(each, Fusion)}
    missing = {each.purpose for each in declared - {each.fusion for each in FUSIONS}}
    assert not missing, f"fusions of {module} that plan/passes.py has no row for, so that no plan is made with them"


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


class Step(NamedTuple):
    """The op types of a step, the passes that changed its graph, its fetched values, and all variables' after it."""

    types: set[str]
    passes: set[str]
    values: list[np.ndarray]


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

    def run(self, example: Example, arrays: list[np.ndarray]) -> Step:
        """One step with these values."""
        with tf.Session(graph=self.graph) as session:
            session.run(self.init)
            given = dict(zip((*self.tensors_and_variables(example),), arrays, strict=True))
            for variable in self.variables:
                variable.load(given[variable], session)
            feed = {tensor: given[tensor] for tensor in self.tensors}
            with recorded() as histories:
                plan = session.plan_for(self.fetches, self.tensors)
            types = {node.type for node in all_nodes(plan.graph.nodes)}
            passes = {effect.name for history in histories for effect in history.effects}
            values = [value for value in session.run(self.fetches, feed) if value is not None]
            return Step(types, passes, values + session.run(self.slots))

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
        fused = built.run(example, arrays)
        found = each.name in fused.passes and example.makes <= fused.types
        assert found, f"{each.name} found nothing to fuse among {sorted(fused.types)}"
        with without(each.name):
            single = built.run(example, arrays)
        assert each.name not in single.passes
        assert not example.makes & single.types
        for one, other in zip(fused.values, single.values, strict=True):
            if np.asarray(one).dtype.kind not in "fc":
                np.testing.assert_array_equal(one, other)
                continue
            # What is added up in another order differs by the rounding of the largest terms.
            largest = max(1.0, float(np.max(np.abs(other), initial=0.0)))
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-6 * largest)

    compare()


@pytest.mark.parametrize("each", FUSIONS, ids=lambda each: each.name)
def test_every_fusion_has_an_example(each: FusionPass):
    assert each.fusion.examples


@pytest.mark.parametrize("each", FUSIONS, ids=lambda each: each.name)
def test_a_pass_goes_by_what_its_fusion_looks_for(each: FusionPass):
    assert isinstance(each.when, HasAll)
    assert each.when.groups == each.fusion.groups
    types = {op_type for group in each.fusion.groups for op_type in group}
    assert all(find(op_type) is not None for op_type in types)


@pytest.mark.parametrize("each", FUSIONS, ids=lambda each: each.name)
def test_every_op_of_a_fusion_is_made_in_an_example(each: FusionPass):
    made = set().union(*(example.makes for example in each.fusion.examples))
    assert made == {decl.type for decl in each.fusion.makes}
