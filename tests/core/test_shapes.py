"""Shapes against TensorFlow 1.15: what it answers to each expression, and the laws of plain Dims."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from headrace.core import shapes
from headrace.core.dims import (
    broadcast_dims,
    compatible_dims,
    dims_text,
    element_count,
    is_fully_defined,
    merge_dim,
    merge_dims,
)
from headrace.core.shapes import Dimension, TensorShape

# Expression, and what TensorFlow 1.15.5 answers: the repr of the value, or the error's class and text;
# the class alone where Python or NumPy words the text.
DIMENSION = [
    ("D(3)", "Dimension(3)"),
    ("D(None)", "Dimension(None)"),
    ("str(D(3))", "'3'"),
    ("str(D(None))", "'?'"),
    ("D(-1)", "ValueError: Dimension -1 must be >= 0"),
    ('D("3")', "Dimension(3)"),
    ('D("x")', "ValueError"),
    ("D(3.0)", "Dimension(3)"),
    ("D(3.5)", "ValueError: Ambiguous dimension: 3.5"),
    ("D(True)", "Dimension(1)"),
    ("D(np.int64(3))", "Dimension(3)"),
    ("D(D(3))", "Dimension(3)"),
    ("D(D(None))", "Dimension(None)"),
    ("D([1])", "TypeError"),
    ("D(3) == 3", "True"),
    ("D(3) == D(None)", "None"),
    ("D(None) == None", "None"),
    ("D(3) == None", "None"),
    ("D(3) != 4", "True"),
    ("D(3) != None", "None"),
    ('D(3) == "x"', "False"),
    ('D(3) != "x"', "True"),
    ('D(3) == "3"', "True"),
    ("D(3) == -1", "False"),
    ("D(3) != -1", "True"),
    ("D(3) < 4", "True"),
    ("D(3) < D(None)", "None"),
    ("D(3) <= 3", "True"),
    ("D(3) > 2", "True"),
    ("D(3) >= None", "None"),
    ('D(3) < "x"', "ValueError"),
    ("D(3) < -1", "ValueError: Dimension -1 must be >= 0"),
    ("D(3) + 4", "Dimension(7)"),
    ("4 + D(3)", "Dimension(7)"),
    ("D(3) + None", "Dimension(None)"),
    ("D(3) - 4", "ValueError: Dimension -1 must be >= 0"),
    ("4 - D(3)", "Dimension(1)"),
    ("D(3) - None", "Dimension(None)"),
    ("D(3) * 2", "Dimension(6)"),
    ("2 * D(3)", "Dimension(6)"),
    ("D(3) * None", "Dimension(None)"),
    ("D(3) * 2.5", "TypeError: unsupported operand type(s) for *: 'Dimension' and 'float'"),
    ("D(3) * 2.0", "Dimension(6)"),
    ('D(3) + "x"', "TypeError: unsupported operand type(s) for +: 'Dimension' and 'str'"),
    ("D(3) + -1", "TypeError: unsupported operand type(s) for +: 'Dimension' and 'int'"),
    ("D(7) // 2", "Dimension(3)"),
    ("7 // D(2)", "Dimension(3)"),
    ("D(7) // None", "Dimension(None)"),
    ("D(7) // 0", "ZeroDivisionError"),
    ("D(7) % 2", "Dimension(1)"),
    ("7 % D(2)", "Dimension(1)"),
    ("7 % D(None)", "Dimension(None)"),
    (
        "D(7) / 2",
        "TypeError: unsupported operand type(s) for /: 'Dimension' and 'int', please use // instead",
    ),
    (
        "7 / D(2)",
        "TypeError: unsupported operand type(s) for /: 'int' and 'Dimension', please use // instead",
    ),
    ("-D(3)", "TypeError"),
    ("D(3) ** 2", "TypeError"),
    ("D(3) * np.int32(2)", "Dimension(6)"),
    ("int(D(3))", "3"),
    ("int(D(None))", "TypeError"),
    ("hash(D(3))", "TypeError"),
    ("bool(D(0))", "True"),
    ("bool(D(None))", "True"),
    ("list(range(5))[D(3)]", "3"),
    ("list(range(D(3)))", "[0, 1, 2]"),
    ("[1, 2][D(None)]", "TypeError"),
    ("np.zeros(D(3)).shape", "(3,)"),
    ("D(3).value", "3"),
    ("D(None).value", "None"),
    ("D(3).merge_with(4)", "ValueError: Dimensions 3 and 4 are not compatible"),
    ("D(3).merge_with(None)", "Dimension(3)"),
    ("D(None).merge_with(3)", "Dimension(3)"),
    ("D(None).merge_with(D(None))", "Dimension(None)"),
    ("D(3).assert_is_compatible_with(4)", "ValueError: Dimensions 3 and 4 are not compatible"),
    ("D(3).assert_is_compatible_with(None)", "None"),
    ("D(3).is_compatible_with(None)", "True"),
    ("D(3).is_compatible_with(4)", "False"),
]

CONSTRUCTION = [
    ("T(None)", "TensorShape(None)"),
    ("T([])", "TensorShape([])"),
    ("T([2, 3])", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T([None, 784])", "TensorShape([Dimension(None), Dimension(784)])"),
    ("T(5)", "TensorShape([Dimension(5)])"),
    ("T((2,))", "TensorShape([Dimension(2)])"),
    ("T(D(3))", "TensorShape([Dimension(3)])"),
    ("T([D(3), None])", "TensorShape([Dimension(3), Dimension(None)])"),
    ("T([-1, 3])", "ValueError: Dimension -1 must be >= 0"),
    ('T(["3"])', "TensorShape([Dimension(3)])"),
    ('T(["a"])', "ValueError"),
    (
        'T("3")',
        "TypeError: A string has ambiguous TensorShape, please wrap in a list or convert to an int: 3",
    ),
    ("T(3.0)", "TensorShape([Dimension(3)])"),
    ("T([3.0])", "TensorShape([Dimension(3)])"),
    ("T([2.5])", "ValueError: Ambiguous dimension: 2.5"),
    ("T(T([2, 3]))", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T(T(None))", "TensorShape(None)"),
    ("T(np.array([2, 3]))", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T(np.int32(3))", "TensorShape([Dimension(3)])"),
    ("T([True])", "TensorShape([Dimension(1)])"),
    ("T([[1, 2]])", "TypeError"),
    ("T(range(3))", "TensorShape([Dimension(0), Dimension(1), Dimension(2)])"),
    ("T(x for x in (1, 2))", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T(-1)", "ValueError: Dimension -1 must be >= 0"),
    ("T(T([1, None]).as_proto())", "TensorShape([Dimension(1), Dimension(None)])"),
    ("T(T(None).as_proto())", "TensorShape(None)"),
    ("T([None, 2]).as_proto()", "dim {\n  size: -1\n}\ndim {\n  size: 2\n}\n"),
    ("T(None).as_proto()", "unknown_rank: true\n"),
    ("str(T(None))", "'<unknown>'"),
    ("str(T([]))", "'()'"),
    ("str(T([3]))", "'(3,)'"),
    ("str(T([None, 784]))", "'(?, 784)'"),
    ("S.unknown_shape()", "TensorShape(None)"),
    ("S.unknown_shape(3)", "TensorShape([Dimension(None), Dimension(None), Dimension(None)])"),
    ("S.unknown_shape(ndims=2)", "TensorShape([Dimension(None), Dimension(None)])"),
    ("S.unknown_shape(rank=2)", "TensorShape([Dimension(None), Dimension(None)])"),
    ("S.unknown_shape(foo=2)", "TypeError: Unknown argument: {'foo': 2}"),
    ("S.scalar()", "TensorShape([])"),
    ("S.vector(3)", "TensorShape([Dimension(3)])"),
    ("S.vector(None)", "TensorShape([Dimension(None)])"),
    ("S.matrix(2, None)", "TensorShape([Dimension(2), Dimension(None)])"),
    ("S.as_shape([2])", "TensorShape([Dimension(2)])"),
    ("S.as_shape(T([2]))", "TensorShape([Dimension(2)])"),
    ("S.as_shape(None)", "TensorShape(None)"),
    ("S.dimension_value(D(3))", "3"),
    ("S.dimension_value(D(None))", "None"),
    ("S.dimension_value(3)", "3"),
    ("S.dimension_value(None)", "None"),
    ("S.dimension_at_index(T([1, 2]), 0)", "Dimension(1)"),
    ("S.dimension_at_index(T(None), 0)", "Dimension(None)"),
    ("S.dimension_at_index(T([1, 2]), 5)", "IndexError"),
    ("S.as_dimension(3)", "Dimension(3)"),
    ("S.as_dimension(D(4))", "Dimension(4)"),
    ("S.as_dimension(None)", "Dimension(None)"),
]

READING = [
    ("T(None).ndims", "None"),
    ("T([2]).ndims", "1"),
    ("T([]).rank", "0"),
    ("T([2, None]).dims", "[Dimension(2), Dimension(None)]"),
    ("T(None).dims", "None"),
    ("T([2, None]).as_list()", "[2, None]"),
    ("T(None).as_list()", "ValueError: as_list() is not defined on an unknown TensorShape."),
    ("T([2, 3]).num_elements()", "6"),
    ("T([2, None]).num_elements()", "None"),
    ("T([0, None]).num_elements()", "None"),
    ("T([]).num_elements()", "1"),
    ("T(None).num_elements()", "None"),
    ("len(T([1, 2]))", "2"),
    ("len(T(None))", "ValueError: Cannot take the length of shape with unknown rank."),
    ("bool(T(None))", "False"),
    ("bool(T([]))", "True"),
    ("list(T([1, None]))", "[Dimension(1), Dimension(None)]"),
    ("list(T(None))", "ValueError: Cannot iterate over a shape with unknown rank."),
    ("iter(T(None))", "ValueError: Cannot iterate over a shape with unknown rank."),
    ("T([1, 2])[0]", "Dimension(1)"),
    ("T([1, 2])[5]", "IndexError"),
    ("T([1, 2])[-1]", "Dimension(2)"),
    ("T([1, 2, 3])[D(1)]", "Dimension(2)"),
    ("T(None)[0]", "Dimension(None)"),
    ("T(None)[-1]", "Dimension(None)"),
    ("T(None)[1:]", "TensorShape(None)"),
    ("T(None)[:1]", "TensorShape([Dimension(None)])"),
    ("T(None)[1:3]", "TensorShape([Dimension(None), Dimension(None)])"),
    ("T(None)[3:1]", "TensorShape([])"),
    ("T(None)[:]", "TensorShape(None)"),
    ("T(None)[-1:]", "TensorShape(None)"),
    ("T(None)[:-1]", "TensorShape(None)"),
    ("T(None)[2:-1]", "TensorShape(None)"),
    ("T(None)[::2]", "ValueError: Steps are not yet handled"),
    ("T([1, 2, 3])[1:]", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T([1, 2, 3])[:-1]", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T([1, 2, 3])[::2]", "TensorShape([Dimension(1), Dimension(3)])"),
    ("T([1, None])[:]", "TensorShape([Dimension(1), Dimension(None)])"),
    ("tuple(T([1, 2]))", "(Dimension(1), Dimension(2))"),
    ("np.zeros(T([2, 3])).shape", "(2, 3)"),
    ("1 in T([1, 2])", "True"),
    ("T([2, 3]).is_fully_defined()", "True"),
    ("T([2, None]).is_fully_defined()", "False"),
    ("T(None).is_fully_defined()", "False"),
]

COMPARISON = [
    ("T([1, 2]) == [1, 2]", "True"),
    ("T([1, 2]) == (1, 2)", "True"),
    ("T([1, 2]) == T([1, 2])", "True"),
    ("T([1, None]) == [1, None]", "False"),
    ("T([1, None]) == [1, 2]", "False"),
    ("T(None) == None", "True"),
    ("T(None) == T(None)", "True"),
    ("T(None) == [1]", "False"),
    ("T([1]) == None", "False"),
    ("T([1]) == T(None)", "False"),
    ('T([1]) == "x"', "False"),
    ('T([1]) == ["x"]', "ValueError"),
    ("T([1, 2]) == 5", "False"),
    ("T([5]) == 5", "True"),
    ("T([1, 2]) != [1, 2]", "False"),
    ("T([1, 2]) != [1, 3]", "True"),
    ("T([1, 2]) != [1]", "True"),
    ("T([None, 2]) != [3, 2]", "True"),
    ("T([None]) != T([None])", "True"),
    ("T([None]) == T([None])", "False"),
    ('T([1]) != "x"', "True"),
    ("T(None) != T([1])", "ValueError: The inequality of unknown TensorShapes is undefined."),
    ("T([1]) != T(None)", "ValueError: The inequality of unknown TensorShapes is undefined."),
    ("T(None) != None", "ValueError: The inequality of unknown TensorShapes is undefined."),
    ("hash(T([1]))", "TypeError"),
    ("T([1]) in [T([1])]", "True"),
    ("T([1]) == object()", "False"),
    ("(lambda t: (t == t, t != t, t == T(t)))(T([None, 2]))", "(True, False, True)"),
    ("T((None,)) == T((None,))", "False"),
]

COMBINATION = [
    ("T([1, 2]).concatenate([3])", "TensorShape([Dimension(1), Dimension(2), Dimension(3)])"),
    ("T([1, 2]).concatenate(None)", "TensorShape(None)"),
    ("T(None).concatenate([3])", "TensorShape(None)"),
    ("T([1]).concatenate(D(2))", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T([1]).concatenate(5)", "TensorShape([Dimension(1), Dimension(5)])"),
    ("T([1]) + [2]", "TensorShape([Dimension(1), Dimension(2)])"),
    ("[2] + T([1])", "TensorShape([Dimension(2), Dimension(1)])"),
    ("T([1]) + T([2])", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T([1]) + 2", "TensorShape([Dimension(1), Dimension(2)])"),
    ("(1,) + T([2])", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T([1, None]).merge_with([None, 2])", "TensorShape([Dimension(1), Dimension(2)])"),
    ("T([2, 3]).merge_with([4])", "ValueError: Shapes (2, 3) and (4,) are not compatible"),
    ("T([2, 3]).merge_with([2, 4])", "ValueError: Shapes (2, 3) and (2, 4) are not compatible"),
    ("T(None).merge_with([2])", "TensorShape([Dimension(2)])"),
    ("T([2]).merge_with(None)", "TensorShape([Dimension(2)])"),
    ("T([2, 3]).most_specific_compatible_shape([2, 4])", "TensorShape([Dimension(2), Dimension(None)])"),
    ("T([2, None]).most_specific_compatible_shape([2, 4])", "TensorShape([Dimension(2), Dimension(None)])"),
    ("T([2, 3]).most_specific_compatible_shape([2])", "TensorShape(None)"),
    ("T(None).most_specific_compatible_shape([2])", "TensorShape(None)"),
    ("T([2, 3]).is_compatible_with([4])", "False"),
    ("T([2, 3]).is_compatible_with([None, 3])", "True"),
    ("T([2, 3]).is_compatible_with(None)", "True"),
    ("T([2, 3]).is_compatible_with(2)", "False"),
    ("T(None).is_compatible_with([1])", "True"),
    ("T([2, 3]).assert_is_compatible_with([4])", "ValueError: Shapes (2, 3) and [4] are incompatible"),
    (
        "T([2, 3]).assert_is_compatible_with(T([4, None]))",
        "ValueError: Shapes (2, 3) and (4, ?) are incompatible",
    ),
    ("T([2, 3]).assert_is_compatible_with([2, None])", "None"),
    ("T([2, 3]).assert_same_rank([1])", "ValueError: Shapes (2, 3) and (1,) must have the same rank"),
    ("T(None).assert_same_rank([1])", "None"),
    ("T([2, 3]).assert_same_rank(None)", "None"),
    ("T([2, 3]).assert_has_rank(3)", "ValueError: Shape (2, 3) must have rank 3"),
    ("T([2, 3]).assert_has_rank(2)", "None"),
    ("T(None).assert_has_rank(2)", "None"),
    ("T([2, 3]).assert_is_fully_defined()", "None"),
    ("T([2, None]).assert_is_fully_defined()", "ValueError: Shape (2, ?) is not fully defined"),
    ("T(None).assert_is_fully_defined()", "ValueError: Shape <unknown> is not fully defined"),
    ("T([2, 3]).with_rank(3)", "ValueError: Shape (2, 3) must have rank 3"),
    ("T([2, 3]).with_rank(2)", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T(None).with_rank(3)", "TensorShape([Dimension(None), Dimension(None), Dimension(None)])"),
    ("T([2, 3]).with_rank_at_least(3)", "ValueError: Shape (2, 3) must have rank at least 3"),
    ("T([2, 3]).with_rank_at_least(1)", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T(None).with_rank_at_least(1)", "TensorShape(None)"),
    ("T([2, 3]).with_rank_at_most(1)", "ValueError: Shape (2, 3) must have rank at most 1"),
    ("T([2, 3]).with_rank_at_most(2)", "TensorShape([Dimension(2), Dimension(3)])"),
    ("T(None).with_rank_at_most(1)", "TensorShape(None)"),
]


def answer(expression: str) -> str:
    names = {"D": Dimension, "T": TensorShape, "S": shapes, "np": np}
    try:
        return repr(eval(expression, names))
    except (TypeError, ValueError, IndexError, ZeroDivisionError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("expression", "expected"), DIMENSION + CONSTRUCTION + READING + COMPARISON + COMBINATION)
def test_answers_as_tensorflow_does(expression, expected):
    found = answer(expression)
    if expected.endswith("Error"):
        found = found.partition(":")[0]
    assert found == expected


# Two shapes and what TensorFlow's broadcast_shape makes of them.
BROADCASTS = [
    (None, [1], None),
    ([2, 3], [3], (2, 3)),
    ([2, 3], [4], "ValueError: Incompatible shapes for broadcasting: (2, 3) and (4,)"),
    ([2, 3], [2], "ValueError: Incompatible shapes for broadcasting: (2, 3) and (2,)"),
    ([2, 3], [], (2, 3)),
    ([], [], ()),
    ([None, 3], [3], (None, 3)),
    ([None], [1], (None,)),
    ([None], [5], (5,)),
    ([None], [0], (None,)),
    ([None], [None], (None,)),
    ([0], [1], (0,)),
    ([2, 0], [2, 1], (2, 0)),
    ([2], [None, 2], (None, 2)),
    ([2, 1], [None, 5], (2, 5)),
    ([None, 1, 3], [5, None], (None, 5, 3)),
    ([0], [5], "ValueError: Incompatible shapes for broadcasting: (0,) and (5,)"),
    ([0], [0], (0,)),
    ([1], [1], (1,)),
    ([2], [3], "ValueError: Incompatible shapes for broadcasting: (2,) and (3,)"),
]


@pytest.mark.parametrize(("a", "b", "expected"), BROADCASTS)
def test_static_broadcasting(a, b, expected):
    a, b = shapes.as_dims(a), shapes.as_dims(b)
    for x, y in ((a, b), (b, a)):
        if isinstance(expected, str):
            with pytest.raises(ValueError) as error:
                broadcast_dims(x, y)
            if x is a:
                assert f"ValueError: {error.value}" == expected
        else:
            assert broadcast_dims(x, y) == expected


SIZES = st.integers(0, 3)
KNOWN = st.lists(SIZES, max_size=4).map(tuple)


def weakened(draw, dims):
    """Some of what is known of `dims`."""
    if draw(st.integers(0, 5)) == 0:
        return None
    return tuple(None if draw(st.booleans()) else size for size in dims)


@given(st.data(), KNOWN, KNOWN)
def test_broadcasting_of_what_is_partly_known_agrees_with_numpy(data, a, b):
    try:
        truth = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError):
            broadcast_dims(a, b)
        return
    assert broadcast_dims(a, b) == truth
    partly = broadcast_dims(weakened(data.draw, a), weakened(data.draw, b))
    assert compatible_dims(partly, truth)


@given(st.data(), KNOWN)
def test_merging_what_is_partly_known_never_contradicts_it(data, dims):
    a, b = weakened(data.draw, dims), weakened(data.draw, dims)
    merged = merge_dims(a, b)
    assert merged == merge_dims(b, a)
    assert merge_dims(merged, dims) == dims
    for part in (a, b):
        assert merge_dims(merged, part) == merged


@given(KNOWN, KNOWN)
def test_shapes_merge_exactly_when_they_are_compatible(a, b):
    assert compatible_dims(a, b) == (a == b)
    if a != b:
        with pytest.raises(ValueError, match="must be equal"):
            merge_dims(a, b)


@pytest.mark.parametrize(
    ("a", "b", "merged"), [(None, None, None), (None, 3, 3), (3, None, 3), (3, 3, 3), (0, None, 0)]
)
def test_merge_dim(a, b, merged):
    assert merge_dim(a, b) == merged


def test_merge_dim_conflict():
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 4"):
        merge_dim(3, 4)


@pytest.mark.parametrize(
    ("dims", "text", "count"),
    [(None, "<unknown>", None), ((), "()", 1), ((3,), "(3,)", 3), ((None,), "(?,)", None),
     ((None, 3), "(?, 3)", None), ((2, 3), "(2, 3)", 6), ((2, 0), "(2, 0)", 0)],
)  # fmt: skip
def test_dims_in_words_and_numbers(dims, text, count):
    assert dims_text(dims) == text
    assert element_count(dims) == count
    assert is_fully_defined(dims) == (count is not None)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        (None, None),
        (5, (5,)),
        ([], ()),
        ([None, Dimension(3), np.int64(2), Dimension(None)], (None, 3, 2, None)),
        (np.array([2, 3]), (2, 3)),
        (TensorShape([None, 2]), (None, 2)),
        (TensorShape([None, 2]).as_proto(), (None, 2)),
        (TensorShapeProto(unknown_rank=True), None),
    ],
    ids=str,
)
def test_as_dims(shape, dims):
    found = shapes.as_dims(shape)
    assert found == dims
    assert found is None or all(type(size) in (int, type(None)) for size in found)


@pytest.mark.parametrize("shape", [[-1, 3], (2, -1), -1, [2.5], TensorShapeProto(dim=[TensorShapeProto.Dim(size=-2)])])
def test_as_dims_rejects(shape):
    with pytest.raises(ValueError):
        shapes.as_dims(shape)


def test_plain_dims_are_wrapped_as_they_are():
    dims = (None, 3)
    shape = TensorShape.from_dims(dims)
    assert shape.as_dims is dims
    # However often a tensor's shape is asked for, it is the same shape.
    assert shape == TensorShape.from_dims(dims)
    assert TensorShape.from_dims(None).as_dims is None


@pytest.mark.parametrize("dims", [None, (), (None, 3)])
def test_copies(dims):
    for made in (pickle.loads, copy.deepcopy):
        shape = TensorShape.from_dims(dims)
        assert made(pickle.dumps(shape) if made is pickle.loads else shape).as_dims == dims
    assert pickle.loads(pickle.dumps(Dimension(None))).value is None


def test_every_combination_of_sizes_is_compared_like_numbers():
    for a, b in itertools.product(range(3), repeat=2):
        x, y = Dimension(a), Dimension(b)
        assert (x == y, x != y, x < y, x <= y, x > y, x >= y) == (
            a == b,
            a != b,
            a < b,
            a <= b,
            a > b,
            a >= b,
        )
