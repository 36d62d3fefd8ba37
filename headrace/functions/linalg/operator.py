"""The base of linear operators: what can be said of any matrix, by way of its products and its dense form."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.composite_types import Dispatching
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.module import ModuleMembers
from headrace.core.registry import raw
from headrace.core.shapes import Dimension, TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.functions.flow.checks import assert_equal, assert_less, assert_positive
from headrace.functions.linalg import algebra
from headrace.functions.linalg.arguments import diagonal, is_ref, shape_tensor
from headrace.functions.linalg.broadcasting import cholesky_solve_with_broadcast, matrix_solve_with_broadcast
from headrace.functions.math.linalg_functions import cholesky, matrix_determinant, slogdet, svd
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.ops.math.cast import cast
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


def _warn_of_dense(what: str) -> None:
    tf_logging.warn("The default implementation of %s makes a dense matrix, and takes O(N^3) operations.", what)


class LinearOperator(ModuleMembers, Dispatching):
    """A matrix, or a batch of them, of shape [*batch, m, n]. A subclass overrides `_shape`, `_shape_tensor`, `_matmul`.

    Args:
        dtype: the type of the elements.
        graph_parents: the tensors it depends on.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known of it; None if nothing.
        name: a name for its operations.

    Raises:
        ValueError: if what is said of it cannot all be true, or a parent is no tensor.
    """

    def __init__(
        self,
        dtype: DType,
        graph_parents: Sequence[Any] | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for flag, kind in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if flag:
                if is_square is False:
                    raise ValueError(f"A {kind} matrix is always square.")
                is_square = True
        for index, parent in enumerate(graph_parents or ()):
            if parent is None or not (is_ref(parent) or is_tensor(parent)):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {parent}.")
        self._square = is_square
        self._dtype = as_dtype(dtype).base_dtype if dtype else dtype
        self._graph_parents = list(graph_parents or ())
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._name = name or type(self).__name__

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[str]:
        with name_scope(self._name if name is None else f"{self._name}/{name}") as scope:
            yield scope

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of its operations."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors it depends on."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it is known to have an inverse, or to have none."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is known to equal its adjoint, or not to."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is known to be positive definite, or not to be."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it is known to be square, or not to be.

        Raises:
            ValueError: if it was said not to be but is.
        """
        found = self.domain_dimension == self.range_dimension
        if self._square is False and found:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return found if self._square is None else self._square

    # ---------------------------------------------------------------------------------------------------- shapes

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Tensor:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """[*batch, m, n]."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """`shape` as an int32 vector."""
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return shape_tensor(self.shape.as_list())
            return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape but for the last two dimensions."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """`batch_shape` as an int32 vector."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return shape_tensor(self.batch_shape.as_list(), name="batch_shape")
            return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """How many dimensions it has, the batch included."""
        # Names of operations after it count this scope.
        with self._name_scope("tensor_rank"):
            return self.shape.ndims

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """`tensor_rank` as an int32 scalar."""
        with self._name_scope(name):
            rank = self.tensor_rank
            return composing.size(self.shape_tensor()) if rank is None else convert_to_tensor(rank)

    @property
    def domain_dimension(self) -> Dimension:
        """n of [m, n]."""
        dims = self.shape.dims
        return dims[-1] if dims else Dimension(None)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """`domain_dimension` as an int32 scalar."""
        with self._name_scope(name):
            known = self.domain_dimension.value
            return self.shape_tensor()[-1] if known is None else convert_to_tensor(known)

    @property
    def range_dimension(self) -> Dimension:
        """m of [m, n]."""
        dims = self.shape.dims
        return dims[-2] if dims else Dimension(None)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """`range_dimension` as an int32 scalar."""
        with self._name_scope(name):
            known = self.range_dimension.value
            return self.shape_tensor()[-2] if known is None else convert_to_tensor(known)

    # ------------------------------------------------------------------------------------------------- assertions

    def _by_cholesky(self) -> bool:
        """Whether it is known to have a Cholesky factor, which then serves for solutions and determinants."""
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _assert_non_singular(self) -> Operation:
        _warn_of_dense("assert_non_singular")
        if self._by_cholesky():
            return self.assert_positive_definite()
        values = svd(self.to_dense(), compute_uv=False)
        condition = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        message = "Singular matrix up to precision epsilon."
        return assert_less(condition, self._largest_condition(), message=message)

    def _largest_condition(self) -> Tensor:
        """How large the condition may be of an operator that is taken to have an inverse."""
        with name_scope("max_nonsingular_condition_number"):
            sizes = [cast(size(), self.dtype) for size in (self.range_dimension_tensor, self.domain_dimension_tensor)]
            epsilon = np.finfo(self.dtype.as_numpy_dtype).eps
            return 1.0 / (cast(reduce_max([100.0, *sizes]), self.dtype) * epsilon)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        """The operation that fails where it has no inverse."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Operation:
        _warn_of_dense("assert_positive_definite")
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        return assert_positive(diagonal(cholesky(self.to_dense())), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        """The operation that fails where it is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Operation:
        _warn_of_dense("assert_self_adjoint")
        dense = self.to_dense()
        return assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        """The operation that fails where it does not equal its adjoint."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _check_input_dtype(self, arg: Tensor) -> None:
        """Refuses a tensor of another type than the elements; operators of programs' own ask it too."""
        if arg.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {arg.dtype} in tensor {arg}")

    def _argument(
        self, value: Tensor | np.ndarray | Sequence[float | Sequence[float]], name: str, mine: int, theirs: int
    ) -> Tensor:
        """`value` as a tensor whose dimension `theirs` fits dimension `mine` of this operator."""
        tensor = convert_to_tensor(value, name=name)
        self._check_input_dtype(tensor)
        dimension_at_index(self.shape, mine).assert_is_compatible_with(dimension_at_index(tensor.get_shape(), theirs))
        return tensor

    def _other(
        self, other: LinearOperator, name: str, adjoint: bool, adjoint_arg: bool
    ) -> tuple[LinearOperator, LinearOperator]:
        """Both operators of a product or solution, or their adjoints, once their sizes are seen to fit."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        sizes = left.domain_dimension.value, right.range_dimension.value
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {sizes[0]} but got {sizes[1]}."
            )
        return left, right

    def _dispatch(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return slots.dispatch_linear_operator(function, args, kwargs)

    # ---------------------------------------------------------------------------------------- products, solutions

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        raise NotImplementedError("_matmul is not implemented.")

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with a matrix or another operator.

        Args:
            x: tensor of shape [..., n, r], or a LinearOperator.
            adjoint, adjoint_arg: whether to take the adjoint of this operator, of `x`.
            name: a name for the operations.

        Returns:
            tensor of shape [..., m, r], or a LinearOperator.

        Raises:
            TypeError: if `x` has another type.
            ValueError: if the sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self._other(x, "x", adjoint, adjoint_arg)
            with self._name_scope(name):
                return algebra.matmul(left, right)
        with self._name_scope(name):
            x = self._argument(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return composing.squeeze(self.matmul(composing.expand_dims(x, -1), adjoint=adjoint), [-1])

    def matvec(self, x: Tensor | np.ndarray | Sequence[float], adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with a vector: `x` of shape [..., n], the result [..., m]."""
        with self._name_scope(name):
            return self._matvec(self._argument(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if self.is_square is False:
            raise NotImplementedError("Solve is not yet implemented for non-square operators.")
        _warn_of_dense("solve")
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        if self._by_cholesky():
            return cholesky_solve_with_broadcast(cholesky(self.to_dense()), rhs)
        return matrix_solve_with_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """What gives `rhs` when multiplied with this operator. Arguments as for `matmul`.

        Raises:
            NotImplementedError: if the operator is known not to be square or to have no inverse.
        """
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")
        if isinstance(rhs, LinearOperator):
            left, right = self._other(rhs, "rhs", adjoint, adjoint_arg)
            with self._name_scope(name):
                return algebra.solve(left, right)
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return composing.squeeze(self.solve(composing.expand_dims(rhs, -1), adjoint=adjoint), [-1])

    def solvevec(self, rhs: Tensor | np.ndarray, adjoint: bool = False, name: str = "solve") -> Tensor:
        """As `solve`, for a vector."""
        with self._name_scope(name):
            return self._solvevec(self._argument(rhs, "rhs", -1 if adjoint else -2, -1), adjoint=adjoint)

    # -------------------------------------------------------------------------------------------- other operators

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The adjoint, as an operator."""
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return algebra.adjoint(self)

    H = property(adjoint, None, doc="The adjoint.")

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, as an operator.

        Raises:
            ValueError: if it is known to have none.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._name_scope(name):
            return algebra.inverse(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The Cholesky factor, as an operator.

        Raises:
            ValueError: unless it is known to be self-adjoint and positive definite.
        """
        if not self._by_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._name_scope(name):
            return algebra.cholesky(self)

    # ---------------------------------------------------------------------------------------------- what it holds

    def _require_square(self) -> None:
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def _determinant(self) -> Tensor:
        _warn_of_dense("determinant")
        if self._by_cholesky():
            return raw.Exp(self.log_abs_determinant())
        return matrix_determinant(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant, shape [*batch].

        Raises:
            NotImplementedError: if it is known not to be square.
        """
        self._require_square()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        _warn_of_dense("determinant")
        if self._by_cholesky():
            return 2 * reduce_sum(raw.Log(diagonal(cholesky(self.to_dense()))), axis=[-1])
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the determinant's absolute value, shape [*batch]. Raises as `determinant`."""
        self._require_square()
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _to_dense(self) -> Tensor:
        batch = self.batch_shape.as_list() if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()
        known = self.domain_dimension.value
        columns = self.domain_dimension_tensor() if known is None else known
        return self.matmul(eye(columns, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix as a tensor."""
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self) -> Tensor:
        return diagonal(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The diagonal, shape [*batch, min(m, n)]."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal, shape [*batch]."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The sum with a tensor of fitting shape."""
        with self._name_scope(name):
            x = convert_to_tensor(x, name="x")
            self._check_input_dtype(x)
            return self._add_to_tensor(x)
