"""Tests that every linear operator has to pass, for classes of tests that say how to make one and its matrix.

A class derives from the base for square operators or that for others, makes operators, and is passed to `add_tests`,
which gives it a test for each method, type and shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from headrace.autodiff.gradient_tape import GradientTape
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.random_seed import DEFAULT_GRAPH_SEED
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.functions.linalg.broadcasting import matrix_solve_with_broadcast
from headrace.functions.math.linalg_functions import cholesky, matrix_determinant, matrix_inverse, slogdet
from headrace.functions.math.matrices import trace
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.ops.math.cast import cast
from headrace.ops.math.complex import complex as complex_of
from headrace.ops.random import normal as normal_numbers
from headrace.ops.random import uniform as uniform_numbers
from headrace.testing.test_case import TestCase
from headrace.testing.test_util import run_deprecated_v1

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


class OperatorShapesInfo:
    """The shape of an operator to test, and whatever else a class of tests wants to know with it."""

    def __init__(self, shape: Any, **kwargs: Any) -> None:
        self.shape = shape
        self.__dict__.update(kwargs)


class CheckTapeSafeSkipOptions:
    """The methods whose gradients `check_tape_safe` can leave out."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


_TOLERANCES = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-12, "complex64": 1e-6, "complex128": 1e-12}


class LinearOperatorDerivedClassTest(TestCase):
    """The base of these classes: a subclass overrides `operator_and_matrix`, `make_rhs`, `make_x` and the shapes."""

    _atol: ClassVar[dict[Any, float]] = {as_dtype(name): tolerance for name, tolerance in _TOLERANCES.items()}
    _rtol: ClassVar[dict[Any, float]] = dict(_atol)

    def assertAC(self, x: Any, y: Any) -> None:
        """Fails unless two arrays are the same up to what their type allows."""
        dtype = as_dtype(x.dtype)
        self.assertAllClose(x, y, atol=self._atol[dtype], rtol=self._rtol[dtype])

    @staticmethod
    def adjoint_options() -> list[bool]:
        """Whether to apply adjoints."""
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> list[bool]:
        """Whether to apply to adjoints."""
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> list[Any]:
        """The types."""
        return [as_dtype(name) for name in ("float32", "float64", "complex64", "complex128")]

    @staticmethod
    def use_placeholder_options() -> list[bool]:
        """Whether shapes are unknown while the graph is built."""
        return [False, True]

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """The shapes."""
        raise NotImplementedError("operator_shapes_infos has not been implemented.")

    def operator_and_matrix(
        self,
        shapes_info: OperatorShapesInfo,
        dtype: DTypeLike,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> tuple[Any, Any]:
        """An operator and its matrix as a tensor.

        Args:
            shapes_info: the shape.
            dtype: the type of the elements.
            use_placeholder: whether it is made of placeholders without shapes.
            ensure_self_adjoint_and_pd: whether it must be self-adjoint and positive definite, and say so.
        """
        raise NotImplementedError("operator_and_matrix has not been implemented.")

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A right side for the operator's `solve`, with its batch or without."""
        raise NotImplementedError("make_rhs is not defined.")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """An argument for the operator's `matmul`, with its batch or without."""
        raise NotImplementedError("make_x is not defined.")

    @staticmethod
    def skip_these_tests() -> list[str]:
        """The names of tests to leave out."""
        return []

    def assertRaisesError(self, msg: str) -> Any:
        """A context in which an operation must fail with a message that the pattern is found in."""
        return self.assertRaisesRegex(Exception, msg) if executing_eagerly() else self.assertRaisesOpError(msg)  # noqa: PT027

    def check_tape_safe(self, operator: Any, skip_options: Iterable[str] | None = None) -> None:
        """Fails unless what the operator gives has gradients for its variables.

        Args:
            operator: the operator, made of variables.
            skip_options: members of `CheckTapeSafeSkipOptions`: what to leave out.

        Raises:
            AssertionError: if it has no variables.
        """
        if not operator.variables:
            raise AssertionError("`operator.variables` was empty")

        def check(compute: Callable[[], Any]) -> None:
            with GradientTape() as tape:
                result = compute()
            for gradient in tape.gradient(result, operator.variables):
                self.assertIsNotNone(gradient)  # noqa: PT009

        check(lambda: operator.to_dense())
        check(lambda: operator.adjoint().to_dense())
        x = cast(composing.ones(operator.H.shape_tensor()[:-1]), operator.dtype)
        check(lambda: operator.matvec(x))
        if not operator.is_square:
            return
        for method in ("determinant", "log_abs_determinant", "diag_part", "trace"):
            if method not in (skip_options or ()):
                check(getattr(operator, method))
        if operator.is_non_singular is False:
            return
        check(lambda: operator.inverse().to_dense())
        check(lambda: operator.solvevec(x))
        if operator.is_self_adjoint and operator.is_positive_definite:
            check(lambda: operator.cholesky().to_dense())

    def _get_num_systems(self, operator: Any) -> int:
        return 1 if operator.tensor_rank is None or operator.tensor_rank % 2 else 2

    def _random_columns(self, operator: Any, which: str, with_batch: bool) -> Tensor:
        """Matrices of one or two columns, as long as one of the operator's dimensions."""
        columns = self._get_num_systems(operator)
        if operator.shape.is_fully_defined():
            rows = getattr(operator, f"{which}_dimension").value
            shape: Any = [*(operator.batch_shape.as_list() if with_batch else []), rows, columns]
        else:
            batch = operator.batch_shape_tensor()
            rows = getattr(operator, f"{which}_dimension_tensor")()
            shape = composing.concat([batch, [rows, columns]], 0) if with_batch else [rows, columns]
        return random_normal(shape, dtype=operator.dtype)


class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """The base of tests of square operators."""

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """Shapes of matrices and of batches."""
        return [OperatorShapesInfo(shape) for shape in ((0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4))]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A right side, as `make_x` makes it."""
        return self.make_x(operator, adjoint=not adjoint, with_batch=with_batch)

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Random columns."""
        return self._random_columns(operator, "domain", with_batch)


class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest):
    """The base of tests of operators that are not square."""

    @staticmethod
    def skip_these_tests() -> list[str]:
        """What only square operators have."""
        return ["cholesky", "inverse", "solve", "solve_with_broadcast", "det", "log_abs_det"]

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """Shapes of matrices and of batches."""
        return [OperatorShapesInfo(shape) for shape in ((2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4))]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """They are not solved."""
        raise NotImplementedError("make_rhs not implemented because we don't test solve")

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Random columns."""
        return self._random_columns(operator, "range" if adjoint else "domain", with_batch)


# ---- the tests: what an operator gives, what its matrix gives, and the shape this has ----


def _added(operator: Any, mat: Tensor | np.ndarray, shape: ShapeLike) -> Any:
    return operator.add_to_tensor(2 * mat), 3 * mat, shape


def _factored(operator: Any, mat: Tensor, shape: ShapeLike) -> Any:
    return operator.cholesky().to_dense(), cholesky(mat), None


def _determinants(operator: Any, mat: TensorLike, shape: Sequence[int]) -> Any:
    return operator.determinant(), matrix_determinant(mat), shape[:-2]


def _diagonals(operator: Any, mat: TensorLike, shape: ShapeLike) -> Any:
    expected = raw.MatrixDiagPart(mat, name="diag_part")
    return operator.diag_part(), expected, expected.get_shape()


def _inverted(operator: Any, mat: TensorLike, shape: ShapeLike) -> Any:
    return operator.inverse().to_dense(), matrix_inverse(mat), None


def _log_determinants(operator: Any, mat: TensorLike, shape: Sequence[int]) -> Any:
    return operator.log_abs_determinant(), slogdet(mat)[1], shape[:-2]


def _dense(operator: Any, mat: TensorLike, shape: ShapeLike) -> Any:
    return operator.to_dense(), mat, shape


def _traces(operator: Any, mat: Tensor, shape: ShapeLike) -> Any:
    expected = trace(mat)
    return operator.trace(), expected, expected.get_shape()


_OF_MATRICES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add_to_tensor": _added,
    "cholesky": _factored,
    "det": _determinants,
    "diag_part": _diagonals,
    "inverse": _inverted,
    "log_abs_det": _log_determinants,
    "to_dense": _dense,
    "trace": _traces,
}
_WITH_ARGUMENTS = ("matmul", "matmul_with_broadcast", "solve", "solve_with_broadcast")


def _of_matrix(name: str, use_placeholder: bool, shapes_info: Any, dtype: DTypeLike) -> Callable[[Any], None]:
    """The test of a method without arguments."""

    def test(self: Any) -> None:
        with self.session(graph=Graph()) as session:
            session.graph.seed = DEFAULT_GRAPH_SEED
            hints = {"ensure_self_adjoint_and_pd": True} if name == "cholesky" else {}
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder=use_placeholder, **hints)
            actual, expected, shape = _OF_MATRICES[name](operator, mat, shapes_info.shape)
            if shape is not None and not use_placeholder:
                self.assertAllEqual(shape, actual.get_shape())
            actual, expected = session.run([actual, expected])
            self.assertAC(actual, expected)

    return test


def _with_argument(
    name: str, use_placeholder: bool, shapes_info: Any, dtype: DTypeLike, adjoint: bool, adjoint_arg: bool
) -> Callable[[Any], None]:
    """The test of a method of an argument."""
    solving = name.startswith("solve")
    # Products without a batch of their own are left to what they broadcast to.
    with_batch = name != "solve_with_broadcast"

    def test(self: Any) -> None:
        if not with_batch and len(shapes_info.shape) <= 2:
            return
        with self.session(graph=Graph()) as session:
            session.graph.seed = DEFAULT_GRAPH_SEED
            operator, mat = self.operator_and_matrix(shapes_info, dtype, use_placeholder=use_placeholder)
            make = self.make_rhs if solving else self.make_x
            x = make(operator, adjoint=adjoint, with_batch=with_batch)
            method = operator.solve if solving else operator.matmul
            given = adjoint_of(x) if adjoint_arg else x
            actual = method(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
            if solving:
                expected = matrix_solve_with_broadcast(mat, x, adjoint=adjoint)
            else:
                expected = matmul(mat, x, adjoint_a=adjoint)
            if not use_placeholder:
                self.assertAllEqual(actual.get_shape(), expected.get_shape())
            actual, expected = session.run([actual, expected])
            self.assertAC(actual, expected)

    return test


def add_tests(test_cls: Any) -> None:
    """Gives a class of tests a test for each method of operators, and each type and shape it says.

    Args:
        test_cls: a subclass of `LinearOperatorDerivedClassTest`.

    Raises:
        RuntimeError: if it has a test of such a name.

    Example:
        >>> class IdentityTest(SquareLinearOperatorDerivedClassTest):
        ...     def operator_and_matrix(self, shapes_info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
        ...         rows, batch = shapes_info.shape[-1], shapes_info.shape[:-2]
        ...         matrix = tf.eye(rows, batch_shape=batch, dtype=dtype)
        ...         return tf.linalg.LinearOperatorIdentity(rows, batch, dtype), matrix
        >>> add_tests(IdentityTest)
        >>> any(name.startswith("test_trace") for name in dir(IdentityTest))
        True
    """

    def add(name: str, test: Callable[[Any], None]) -> None:
        if hasattr(test_cls, name):
            raise RuntimeError(f"Test {name} defined more than once")
        setattr(test_cls, name, run_deprecated_v1(test))

    for name in sorted({*_OF_MATRICES, *_WITH_ARGUMENTS} - set(test_cls.skip_these_tests())):
        cases = itertools.product(
            test_cls.dtypes_to_test(), test_cls.use_placeholder_options(), test_cls.operator_shapes_infos()
        )
        for dtype, use_placeholder, info in cases:
            case = f"test_{name}__shape={info.shape},dtype={dtype},use_placeholder={use_placeholder}"
            if name not in _WITH_ARGUMENTS:
                add(case, _of_matrix(name, use_placeholder, info, dtype))
                continue
            for adjoint, adjoint_arg in itertools.product(test_cls.adjoint_options(), test_cls.adjoint_arg_options()):
                full = f"{case},adjoint={adjoint},adjoint_arg={adjoint_arg}"
                add(full, _with_argument(name, use_placeholder, info, dtype, adjoint, adjoint_arg))


# ---- random matrices ----


def random_positive_definite_matrix(shape: Any, dtype: DType, force_well_conditioned: bool = False) -> Tensor:
    """Positive definite matrices.

    Args:
        shape: their shape, known or a tensor.
        dtype: the type of the elements, real or complex.
        force_well_conditioned: whether the eigenvalues are between 1 and 4 in size.
    """
    if not is_tensor(shape):
        shape = TensorShape(shape)
        shape[-1].assert_is_compatible_with(shape[-2])
    with name_scope("random_positive_definite_matrix"):
        tril = random_tril_matrix(shape, dtype, force_well_conditioned=force_well_conditioned)
        return matmul(tril, tril, adjoint_b=True)


def random_tril_matrix(
    shape: Sequence[int], dtype: DTypeLike, force_well_conditioned: bool = False, remove_upper: bool = True
) -> Tensor:
    """Lower triangular matrices.

    Args:
        shape: their shape, known or a tensor.
        dtype: the type of the elements, real or complex.
        force_well_conditioned: whether the eigenvalues are between 1 and 2 in size.
        remove_upper: whether there are zeros above the diagonal; else anything.
    """
    dtype = as_dtype(dtype)
    with name_scope("random_tril_matrix"):
        tril = random_normal(shape, dtype=dtype)
        if remove_upper:
            tril = raw.MatrixBandPart(tril, -1, 0)
        if force_well_conditioned:
            most = convert_to_tensor(np.sqrt(2.0), dtype.real_dtype)
            diag = random_sign_uniform(shape[:-1], dtype=dtype, minval=1.0, maxval=most)
            tril = raw.MatrixSetDiag(tril, diag, name="set_diag")
        return tril


def _drawn(draw: Callable[..., Tensor], dtype: DType, seed: int | None, step: int) -> Tensor:
    """Real numbers, or complex ones of two drawings."""
    samples = draw(dtype.real_dtype, seed)
    if dtype.is_complex:
        samples = complex_of(samples, draw(dtype.real_dtype, None if seed is None else seed + step))
    return samples


def random_normal(
    shape: Sequence[int],
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
) -> Tensor:
    """Normal numbers; of complex ones both parts are.

    Args:
        shape: their shape, known or a tensor.
        mean, stddev: those of the numbers, or of the parts.
        dtype: their type.
        seed: that of the drawing.
    """

    def draw(kind: DTypeLike, own: int | None) -> Tensor:
        return normal_numbers.random_normal(shape, mean=mean, stddev=stddev, dtype=kind, seed=own)

    with name_scope("random_normal"):
        return _drawn(draw, as_dtype(dtype), seed, 1234)


def random_uniform(
    shape: Sequence[int],
    minval: Any = None,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
) -> Tensor:
    """Uniform numbers; of complex ones both parts are. Arguments as for `random_normal`, with bounds."""

    def draw(kind: Any, own: int | None) -> Tensor:
        return uniform_numbers.random_uniform(shape, dtype=kind, minval=minval, maxval=maxval, seed=own)

    with name_scope("random_uniform"):
        return _drawn(draw, as_dtype(dtype), seed, 12345)


def random_sign_uniform(
    shape: Sequence[int],
    minval: Any = None,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
) -> Tensor:
    """As `random_uniform`, half of them negative."""
    with name_scope("random_sign_uniform"):
        samples = random_uniform(shape, minval=minval, maxval=maxval, dtype=dtype, seed=seed)
        own = None if seed is None else seed + 12
        signs = raw.Sign(uniform_numbers.random_uniform(shape, minval=-1.0, maxval=1.0, seed=own))
        return samples * cast(signs, samples.dtype)


def random_normal_correlated_columns(
    shape: Sequence[int],
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    eps: float = 1e-4,
    seed: int | None = None,
) -> Tensor:
    """Matrices whose columns are almost dependent where there are at least as many as rows.

    Args:
        shape: their shape, a list.
        mean, stddev, dtype, seed: as for `random_normal`.
        eps: how far the columns are from being dependent.

    Raises:
        ValueError: for fewer than two dimensions.
    """
    if len(shape) < 2:
        raise ValueError(f"Argument shape must be at least length 2.  Found: {shape}")
    *batch, rows, columns = list(shape)
    if columns < 2 or columns < rows:
        return random_normal(shape, mean=mean, stddev=stddev, dtype=dtype, seed=seed)
    with name_scope("random_normal_correlated_columns"):
        # In a space of one dimension less, then embedded.
        inside = random_normal(
            [*batch, rows, columns - 1], mean=0.0, stddev=1 / np.sqrt(columns - 1), dtype=dtype, seed=seed
        )
        own = None if seed is None else seed + 1287
        embedding = random_normal([*batch, columns, columns - 1], dtype=dtype, seed=own)
        embedded = composing.matrix_transpose(matmul(embedding, inside, transpose_b=True))
        middle = composing.ones_like(embedded) * mean
        return embedded + random_normal(shape, stddev=eps, dtype=dtype) + middle
