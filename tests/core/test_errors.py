"""Run-time errors: classes, codes, and what their text tells."""

import pickle

import pytest

from headrace.core import errors
from headrace.core.errors import InvalidArgumentError, OpError, op_error

# Code, constant and class as in TensorFlow 1.15.
KINDS = [
    (1, "CANCELLED", "CancelledError"),
    (2, "UNKNOWN", "UnknownError"),
    (3, "INVALID_ARGUMENT", "InvalidArgumentError"),
    (4, "DEADLINE_EXCEEDED", "DeadlineExceededError"),
    (5, "NOT_FOUND", "NotFoundError"),
    (6, "ALREADY_EXISTS", "AlreadyExistsError"),
    (7, "PERMISSION_DENIED", "PermissionDeniedError"),
    (8, "RESOURCE_EXHAUSTED", "ResourceExhaustedError"),
    (9, "FAILED_PRECONDITION", "FailedPreconditionError"),
    (10, "ABORTED", "AbortedError"),
    (11, "OUT_OF_RANGE", "OutOfRangeError"),
    (12, "UNIMPLEMENTED", "UnimplementedError"),
    (13, "INTERNAL", "InternalError"),
    (14, "UNAVAILABLE", "UnavailableError"),
    (15, "DATA_LOSS", "DataLossError"),
    (16, "UNAUTHENTICATED", "UnauthenticatedError"),
]


class Node:
    """What an error asks of an operation."""

    name = "total/Cumsum"
    type = "Cumsum"
    node_def = "the node's definition"
    creation_site = "train.py:41: total = tf.cumsum(x)"


WHERE = "Node 'total/Cumsum' (op: Cumsum), made at train.py:41: total = tf.cumsum(x)"


@pytest.mark.parametrize(("code", "constant", "class_name"), KINDS, ids=[kind[2] for kind in KINDS])
def test_each_kind(code, constant, class_name):
    error_class = getattr(errors, class_name)
    assert getattr(errors, constant) == code
    assert errors.exception_type_from_error_code(code) is error_class
    assert errors.error_code_from_exception_type(error_class) == code
    error = error_class(None, None, "boom")
    assert isinstance(error, OpError)
    assert (error.error_code, error.message, error.op, error.node_def) == (code, "boom", None, None)
    assert str(error) == "boom"
    assert repr(error) == f"{class_name}('boom')"


def test_success_and_unknown_codes_have_no_class():
    assert errors.OK == 0
    for code in (0, 17):
        with pytest.raises(KeyError):
            errors.exception_type_from_error_code(code)


@pytest.mark.parametrize("cls", [OpError, ValueError])
def test_a_class_without_code(cls):
    with pytest.warns(UserWarning, match="Unknown class exception"):
        answer = errors.error_code_from_exception_type(cls)
    assert isinstance(answer, errors.UnknownError)


def test_codes_given_by_hand():
    assert OpError(None, None, "m", 77).error_code == 77
    assert errors.UnknownError(None, None, "m", 99).error_code == 99


def test_the_text_tells_node_and_line():
    error = InvalidArgumentError("a definition", Node(), "boom")
    assert str(error) == f"boom\n{WHERE}"
    assert error.message == "boom"
    assert error.node_def == "a definition"


def test_the_text_of_an_op_made_nowhere_in_particular():
    node = Node()
    node.creation_site = None
    assert str(InvalidArgumentError(None, node, "boom")) == "boom\nNode 'total/Cumsum' (op: Cumsum)"


def test_attach_names_the_operation_once():
    first, second = Node(), Node()
    error = errors.OutOfRangeError(None, None, "the end")
    assert error.attach(first) is error
    assert error.attach(second).op is first
    assert error.node_def == "the node's definition"
    assert error.message == "the end\n\t [[node total/Cumsum ]]"
    assert str(error) == f"{error.message}\n{WHERE}"


def test_what_an_error_says_of_itself_is_not_to_be_changed():
    error = InvalidArgumentError(None, None, "boom")
    for name in ("op", "node_def", "message", "error_code"):
        with pytest.raises(AttributeError):
            setattr(error, name, None)


@pytest.mark.parametrize(
    "error",
    [
        InvalidArgumentError("definition", Node(), "boom"),
        OpError(None, Node(), "boom", 77),
        errors.UnknownError(None, None, "boom", 99),
        errors.AbortedError(None, None, "boom"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_pickling_keeps_the_text_and_leaves_the_graph_behind(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.message, copy.error_code, str(copy)) == (error.message, error.error_code, str(error))
    assert copy.op is None
    again = pickle.loads(pickle.dumps(copy))
    assert str(again) == str(error)


def test_op_error_composes_a_run_time_error():
    error = op_error(InvalidArgumentError, Node(), "axis is out of range", "[-2, 2)", 3, "Use axis=1.")
    assert error.message == "Cumsum: axis is out of range: expected [-2, 2), got 3. Use axis=1."
    assert str(error) == f"{error.message}\n{WHERE}"


def test_op_error_composes_a_build_time_error():
    error = op_error(ValueError, Node(), "rank differs", got=(2, 3))
    assert type(error) is ValueError
    assert str(error) == f"Cumsum: rank differs: got (2, 3).\n{WHERE}"


def test_op_error_without_operation():
    assert str(op_error(TypeError, None, "no such type")) == "no such type."
    assert str(op_error(errors.NotFoundError, None, "no such key", expected="w", got=0)) == (
        "no such key: expected w, got 0."
    )
