"""Each case gives what TensorFlow gave: types, static shapes, values, the state afterwards, gradients, errors.

What 1.15.5 gave, and 2.21 for ops that 1.15.5 lacks, is recorded by tools/oracle/record_cases.py. Cases on which neither has
an answer are those of tests/ops/test_declared_values.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from case_programs import CaseProgram, recorded
from case_records import RECORDS, of_tensorflow
from cases import ACCEPTED, REJECTED, Applied, assert_close, has_value

import headrace as tf
from headrace.core.dims import compatible_dims
from headrace.core.registry import raw

pytestmark = pytest.mark.usefixtures("on_device")

# Sums in another order.
_GRADIENT_FACTOR = 10


def record_of(decl: Any, case: Any, program: CaseProgram) -> dict[str, Any]:
    name = f"{decl.type}-{decl.cases.index(case)}"
    record = RECORDS.get(name)
    if record is None or record["hash"] != program.hash:
        state = "is not recorded" if record is None else "has been recorded for another case"
        pytest.fail(f"{name} {state}: run .venv/bin/python tools/oracle/record_cases.py --only {decl.type}")
    assert "absent" not in record, (
        f"no TensorFlow has {decl.type}: if that is so, its declaration says why, with .own()"
    )
    return record


def assert_like(got: Any, expected: Any, dtype: str, factor: float = 1.0) -> None:
    """A value is one that is recorded, within the precision of its type."""
    assert_close(got, recorded.from_plain(expected), dtype, factor)


def assert_described(
    tensors: list[Any], values: list[Any], expected: list[dict[str, Any]], case: Any, of_later: bool = False
) -> None:
    assert len(tensors) == len(expected)
    given = iter(values)
    for tensor, said in zip(tensors, expected, strict=True):
        assert tensor.dtype.base_dtype.name == said["dtype"]
        if not of_later:
            # Newer shape functions know more.
            assert_no_less_known(tensor, said)
        if has_value(tensor):
            value = next(given)
            if case.varies is None:
                assert_like(value, said["value"], said["dtype"])
            else:
                assert np.shape(value) == np.shape(recorded.from_plain(said["value"]))


def assert_no_less_known(tensor: Any, said: dict[str, Any]) -> None:
    """A static shape says what TensorFlow's does; it may say more."""
    static = tensor.shape.as_list() if tensor.shape.ndims is not None else None
    expected = said["shape"]
    if expected is None or static == expected:
        return
    if "value" in said and not compatible_dims(tuple(expected), np.shape(recorded.from_plain(said["value"]))):
        # TensorFlow is wrong about its own value.
        return
    matches = static is not None and len(static) == len(expected)
    matches = matches and all(size in (None, ours) for ours, size in zip(static or [], expected, strict=True))
    assert matches, f"the static shape is {static}, TensorFlow's {expected}"


@pytest.mark.parametrize(("decl", "case"), [p for p in ACCEPTED if of_tensorflow(p)])
def test_cases_give_what_tensorflow_gives(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        record = record_of(decl, case, applied.program)
        assert "error" not in record, f"TensorFlow raises {record['error']}: {record['message']}"
        plain, of_later = applied.program.plain, "tensorflow" in record
        if case.fetches:
            for tensor, said in zip(applied.outputs, record["own_outputs"], strict=True):
                assert tensor.dtype.base_dtype.name == said["dtype"]
                assert_no_less_known(tensor, said)
        with applied.session() as session:
            values = session.run(applied.targets or [applied.op], applied.feeds)
            assert_described(applied.fetched, values, record["outputs"], case, of_later)
            for index, said in zip(plain["after"], record["after"], strict=True):
                if isinstance(said, dict):
                    with pytest.raises(getattr(tf.errors, said["error"])):
                        applied.run_step(session, index)
                else:
                    values = applied.run_step(session, index)
                    assert_described(applied.tensors[index], values, said, case, of_later)


def has_gradients(param: Any) -> bool:
    decl, case = param.values
    record = RECORDS.get(f"{decl.type}-{decl.cases.index(case)}", {})
    return isinstance(record.get("gradients"), list) and case.varies is None and case.differs is None


@pytest.mark.parametrize(("decl", "case"), [p for p in ACCEPTED if has_gradients(p)])
def test_gradients_are_those_of_tensorflow(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        record = record_of(decl, case, applied.program)
        ys = [y for y in applied.fetched if y.dtype.base_dtype.is_floating or y.dtype.base_dtype.is_complex]
        variables = [t for t in applied.leaves if t.op.type in ("VarHandleOp", "VariableV2")]
        xs = [
            x
            for x in applied.leaves
            if x.dtype.base_dtype.is_floating or x.dtype.base_dtype.is_complex or x in variables
        ]
        with applied.session() as session:
            weights = [
                tf.constant(weights_like(v), y.dtype.base_dtype) for y, v in zip(ys, session.run(ys, applied.feeds))
            ]
            found = tf.gradients(ys, xs, weights)
            assert [g is None for g in found] == [g is None for g in record["gradients"]]
            pairs = [(x, tf.convert_to_tensor(g)) for x, g in zip(xs, found, strict=True) if g is not None]
            values, points = session.run(([g for _, g in pairs], [_read(x) for x, _ in pairs]), applied.feeds)
    expected = [g for g in record["gradients"] if g is not None]
    for (_, tensor), point, value, said in zip(pairs, points, values, expected, strict=True):
        if np.shape(value) == np.shape(point) != np.shape(recorded.from_plain(said)):
            # TensorFlow's has not the shape of what it is the gradient of.
            continue
        assert_like(value, said, tensor.dtype.name, _GRADIENT_FACTOR)


def _read(leaf: Any) -> Any:
    """The value of a placeholder, constant or variable."""
    return raw.ReadVariableOp(leaf, dtype=leaf.op.get_attr("dtype")) if leaf.op.type == "VarHandleOp" else leaf


def weights_like(value: Any) -> np.ndarray:
    """Numbers that no sum cancels, one for each element: those of tools/oracle/run_cases.py."""
    array = np.asarray(value)
    return np.cos(0.7 * np.arange(array.size) + 1.0).reshape(array.shape)


def apply_and_run(decl: Any, case: Any) -> None:
    applied = Applied(decl, case)
    applied.run(applied.targets or applied.op)


@pytest.mark.parametrize(("decl", "case"), [p for p in REJECTED if of_tensorflow(p)])
def test_refusals_are_those_of_tensorflow(decl, case):
    with tf.Graph().as_default(), pytest.raises(case.error) as raised:
        apply_and_run(decl, case)
    record = record_of(decl, case, CaseProgram(decl, case))
    assert "error" in record, "TensorFlow takes it"
    assert type(raised.value).__name__ == record["error"], record["message"]
