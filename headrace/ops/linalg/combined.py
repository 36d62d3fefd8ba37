"""Operators made of others: products, adjoints, inverses, Kronecker products, blocks, and updates of low rank."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.ops import composing
from headrace.ops.array.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    reshape,
    shape_internal,
)
from headrace.ops.array.split import split
from headrace.ops.linalg.operator import (
    ALL_TYPES,
    LinearOperator,
    broadcast_batches,
    cholesky_solution,
    conjugate,
    matrix_argument,
)
from headrace.ops.linalg.simple import LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorZeros
from headrace.ops.math.linalg_functions import adjoint as adjoint_of
from headrace.ops.math.linalg_functions import cholesky, matrix_determinant
from headrace.ops.math.matmul import matmul
from headrace.ops.math.reduction import reduce_sum

Hint = bool | None


def product_of(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product, simplified where one factor is the identity or zero."""
    if isinstance(right, LinearOperatorIdentity):
        return left
    if isinstance(right, LinearOperatorZeros) and left.is_square and right.is_square:
        return right
    return LinearOperatorComposition([left, right])


def _one_type(operators: Sequence[LinearOperator]) -> Any:
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    dtype = operators[0].dtype
    for each in operators:
        if each.dtype != dtype:
            listed = ", ".join(f"{o.name}: {o.dtype}" for o in operators)
            raise TypeError(f"Expected all operators to have the same dtype.  Found {listed}")
    return dtype


def _all(operators: Sequence[LinearOperator], hint: str, given: Hint, message: str) -> Hint:
    """`given`, or True where every operator has the hint.

    Raises:
        ValueError: if all have it and `given` says otherwise.
    """
    if all(getattr(each, hint) for each in operators):
        if given is False:
            raise ValueError(message)
        return True
    return given


def _parents(operators: Sequence[LinearOperator]) -> list[Any]:
    return [parent for each in operators for parent in each.graph_parents]


def _joined_batch(operators: Sequence[LinearOperator]) -> TensorShape:
    return functools.reduce(broadcast_static_shape, [each.batch_shape for each in operators])


def _joined_batch_tensor(operators: Sequence[LinearOperator]) -> Tensor:
    return functools.reduce(broadcast_dynamic_shape, [each.batch_shape_tensor() for each in operators])


class LinearOperatorComposition(LinearOperator):
    """The product of operators, applied from the last to the first.

    Args:
        operators: LinearOperators of one type and of sizes that fit.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if there are none.
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        self._operators = list(operators)
        dtype = _one_type(self._operators)
        is_non_singular = _all(
            self._operators,
            "is_non_singular",
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        name = name or "_o_".join(each.name for each in self._operators)
        with name_scope(name, values=_parents(self._operators)):
            super().__init__(
                dtype,
                _parents(self._operators),
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name=name,
            )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        ends = [self._operators[0].range_dimension, self._operators[-1].domain_dimension]
        return _joined_batch(self._operators).concatenate(ends)

    def _shape_tensor(self) -> Tensor:
        ends = [self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()]
        return composing.concat([_joined_batch_tensor(self._operators), composing.stack(ends)], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        first, *rest = self._operators if adjoint else self._operators[::-1]
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in rest:
            result = each.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        first, *rest = self._operators[::-1] if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in rest:
            result = each.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Tensor:
        return functools.reduce(operator.mul, [each.determinant() for each in self._operators])

    def _log_abs_determinant(self) -> Tensor:
        return functools.reduce(operator.add, [each.log_abs_determinant() for each in self._operators])


class _OfOne(LinearOperator):
    """What the adjoint and the inverse of an operator share."""

    def __init__(self, kind: str, op: LinearOperator, hints: dict[str, Hint], name: str | None) -> None:
        self._operator = op
        for hint, given in hints.items():
            known = getattr(op, hint)
            if known is not None and given is not None and known != given:
                raise ValueError(f"Hint {hint} was {given} but the operator's was {known}.")
            hints[hint] = known if given is None else given
        name = name or f"{op.name}_{kind}"
        with name_scope(name, values=op.graph_parents):
            super().__init__(op.dtype, op.graph_parents, name=name, **hints)

    @property
    def operator(self) -> LinearOperator:
        """The operator it is made from."""
        return self._operator


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator.

    Args:
        operator: a LinearOperator.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if what is said of it is known to be otherwise of the operator.
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        super().__init__("adjoint", operator, hints, name)

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        dims = shape.dims
        return shape if dims is None else shape[:-2].concatenate([dims[-1], dims[-2]])

    def _shape_tensor(self) -> Tensor:
        shape = self._operator.shape_tensor()
        return composing.concat([shape[:-2], [shape[-1], shape[-2]]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Tensor:
        return conjugate(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Tensor:
        return conjugate(self._operator.trace())

    def _to_dense(self) -> Tensor:
        return adjoint_of(self._operator.to_dense())

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator. Arguments and errors as for `LinearOperatorAdjoint`."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        if operator.is_non_singular is False:
            raise ValueError("operator and supplied hints must have is_non_singular=True or None.  Found False")
        if is_non_singular is False:
            raise ValueError("operator and supplied hints must have is_non_singular=True or None.  Found False")
        if is_square is False:
            raise ValueError("operator and supplied hints must have is_square=True or None.  Found False")
        hints = {
            "is_non_singular": True,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": True,
        }
        super().__init__("inv", operator, hints, name)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Tensor:
        return self._operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -1.0 * self._operator.log_abs_determinant()

    def _inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorBlockDiag(LinearOperator):
    """Operators along the diagonal, zeros elsewhere.

    Args:
        operators: LinearOperators of one type.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if there are none or what is said of it cannot be true.
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str | None = None,
    ) -> None:
        self._operators = list(operators)
        dtype = _one_type(self._operators)
        kinds = (
            ("is_non_singular", is_non_singular, "non-singular"),
            ("is_self_adjoint", is_self_adjoint, "self-adjoint"),
            ("is_positive_definite", is_positive_definite, "positive-definite"),
        )
        hints = {
            key: _all(self._operators, key, given, f"The direct sum of {kind} operators is always {kind}.")
            for key, given, kind in kinds
        }
        if not all(each.is_square in (True, None) for each in self._operators):
            raise ValueError("Can only represent a block diagonal of square matrices.")
        name = name or "_ds_".join(each.name for each in self._operators)
        with name_scope(name, values=_parents(self._operators)):
            super().__init__(dtype, _parents(self._operators), is_square=True, name=name, **hints)

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return self._operators

    def _shape(self) -> TensorShape:
        rows = sum((each.range_dimension for each in self._operators[1:]), self._operators[0].range_dimension)
        columns = sum((each.domain_dimension for each in self._operators[1:]), self._operators[0].domain_dimension)
        return _joined_batch(self._operators).concatenate([rows, columns])

    def _shape_tensor(self) -> Tensor:
        size = functools.reduce(operator.add, [each.domain_dimension_tensor() for each in self._operators])
        return composing.concat([_joined_batch_tensor(self._operators), composing.stack([size, size])], 0)

    def _by_block(self, x: Tensor, apply: Callable[[LinearOperator, Tensor], Tensor], adjoint_arg: bool) -> Tensor:
        sizes = [
            each.domain_dimension_tensor() if each.domain_dimension.value is None else each.domain_dimension.value
            for each in self._operators
        ]
        parts = split(x, sizes, axis=-1 if adjoint_arg else -2)
        results = [apply(each, part) for each, part in zip(self._operators, parts)]
        return composing.concat(broadcast_batches(*results), -2)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_block(x, lambda o, part: o.matmul(part, adjoint, adjoint_arg), adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_block(rhs, lambda o, part: o.solve(part, adjoint, adjoint_arg), adjoint_arg)

    def _determinant(self) -> Tensor:
        return functools.reduce(operator.mul, [each.determinant() for each in self._operators])

    def _log_abs_determinant(self) -> Tensor:
        return functools.reduce(operator.add, [each.log_abs_determinant() for each in self._operators])

    def _diag_part(self) -> Tensor:
        parts = [each.diag_part()[..., None] for each in self._operators]
        return composing.squeeze(composing.concat(broadcast_batches(*parts), -2), [-1])

    def _trace(self) -> Tensor:
        return functools.reduce(operator.add, [each.trace() for each in self._operators])

    def _hints(self) -> dict[str, Any]:
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
            "is_square": True,
        }

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.adjoint() for each in self._operators], **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.inverse() for each in self._operators], **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.cholesky() for each in self._operators], is_non_singular=True)


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators. Arguments and errors as for `LinearOperatorComposition`."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        self._operators = list(operators)
        dtype = _one_type(self._operators)
        kinds = (
            ("is_square", is_square, "square"),
            ("is_non_singular", is_non_singular, "non-singular"),
            ("is_self_adjoint", is_self_adjoint, "self-adjoint"),
            ("is_positive_definite", is_positive_definite, "positive-definite"),
        )
        hints = {
            key: _all(self._operators, key, given, f"The Kronecker product of {kind} operators is always {kind}.")
            for key, given, kind in kinds
        }
        name = name or "_x_".join(each.name for each in self._operators)
        with name_scope(name, values=_parents(self._operators)):
            super().__init__(dtype, _parents(self._operators), name=name, **hints)

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        rows = functools.reduce(operator.mul, [each.range_dimension for each in self._operators])
        columns = functools.reduce(operator.mul, [each.domain_dimension for each in self._operators])
        return _joined_batch(self._operators).concatenate([rows, columns])

    def _shape_tensor(self) -> Tensor:
        rows = functools.reduce(operator.mul, [each.range_dimension_tensor() for each in self._operators])
        columns = functools.reduce(operator.mul, [each.domain_dimension_tensor() for each in self._operators])
        return composing.concat([_joined_batch_tensor(self._operators), composing.stack([rows, columns])], 0)

    def _by_axis(self, x: Tensor, apply: Callable[[LinearOperator, Tensor], Tensor], adjoint: bool) -> Tensor:
        """Applies each factor along its own axis of `x`, whose columns are seen as tensors of as many axes."""
        sizes = [
            each.range_dimension_tensor() if adjoint else each.domain_dimension_tensor() for each in self._operators
        ]
        batch = broadcast_dynamic_shape(self.batch_shape_tensor(), shape_internal(x)[:-2])
        x = broadcast_to(x, composing.concat([batch, shape_internal(x)[-2:]], 0))
        columns = shape_internal(x)[-1]
        # [..., s1, ..., sk, columns]; each step takes the first of these axes to the end of the others.
        rank = x.get_shape().ndims
        if rank is None:
            raise NotImplementedError("a Kronecker product with a tensor of unknown rank; give the tensor a shape")
        result = x
        for index, each in enumerate(self._operators):
            rest = functools.reduce(operator.mul, [*sizes[index + 1 :], *sizes[:index], columns])
            rows = composing.concat([batch, composing.stack([sizes[index], rest])], 0)
            result = apply(each, reshape(result, rows))
            sizes[index] = shape_internal(result)[-2]
            # The columns stay last: [size, others, columns] becomes [others, size, columns].
            others = functools.reduce(operator.mul, [*sizes[index + 1 :], *sizes[:index]], 1)
            split_up = composing.concat([batch, composing.stack([sizes[index], others, columns])], 0)
            outer = rank - 2
            turned = raw.Transpose(reshape(result, split_up), [*range(outer), outer + 1, outer, outer + 2])
            result = turned
        total = functools.reduce(operator.mul, sizes)
        final = reshape(result, composing.concat([batch, composing.stack([total, columns])], 0))
        static = broadcast_static_shape(self.batch_shape, x.get_shape()[:-2])
        edge = self.domain_dimension if adjoint else self.range_dimension
        final.set_shape(static.concatenate([edge, dimension_at_index(x.get_shape(), -1)]))
        return final

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = adjoint_of(x) if adjoint_arg else x
        return self._by_axis(x, lambda o, part: o.matmul(part, adjoint=adjoint), adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return self._by_axis(rhs, lambda o, part: o.solve(part, adjoint=adjoint), not adjoint)

    def _power(self, each: LinearOperator, dtype: Any) -> Tensor:
        """How often each factor's determinant counts."""
        return composing.cast(self.domain_dimension_tensor() // each.domain_dimension_tensor(), dtype)

    def _determinant(self) -> Tensor:
        parts = [each.determinant() ** self._power(each, each.dtype) for each in self._operators]
        return functools.reduce(operator.mul, parts)

    def _log_abs_determinant(self) -> Tensor:
        parts = [each.log_abs_determinant() * self._power(each, each.dtype) for each in self._operators]
        return functools.reduce(operator.add, parts)

    def _trace(self) -> Tensor:
        return functools.reduce(operator.mul, [each.trace() for each in self._operators])

    def _hints(self) -> dict[str, Any]:
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
            "is_square": True,
        }

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([each.adjoint() for each in self._operators], **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([each.inverse() for each in self._operators], **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([each.cholesky() for each in self._operators], is_non_singular=True)


class LinearOperatorLowRankUpdate(LinearOperator):
    """`base_operator + u diag(diag_update) v^H`, solved by Woodbury's identity.

    Args:
        base_operator: a LinearOperator of shape [*batch, m, n].
        u: tensor of shape [*batch, m, k].
        diag_update: tensor of shape [*batch, k]; ones by default.
        v: tensor of shape [*batch, n, k]; `u` by default.
        is_diag_update_positive: whether `diag_update` is known to be positive.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if what is said of it cannot all be true.
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: Hint = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("Default diagonal is the identity, which is positive.  However, user set False.")
            is_diag_update_positive = True
        self._by_base_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint")
            is_self_adjoint = True
        if self._by_base_cholesky:
            if is_positive_definite is False:
                raise ValueError("Arguments imply operator is positive definite, but is_positive_definite=False.")
            is_positive_definite = True
        with name_scope(name, values=[u, diag_update, v]):
            self._base = base_operator
            self._u = matrix_argument(u, "u", 2, ALL_TYPES)
            self._given_u = u
            self._v = self._u if v is None else matrix_argument(v, "v", 2, ALL_TYPES)
            self._given_v, self._given_diag_update = v, diag_update
            diag = None if diag_update is None else matrix_argument(diag_update, "diag_update", 1, ALL_TYPES)
            self._diag_update = diag
            rank = shape_internal(self._u)[-1]
            self._middle: LinearOperator = (
                LinearOperatorIdentity(
                    rank if self._u.dims is None or self._u.dims[-1] is None else self._u.dims[-1], dtype=self._u.dtype
                )
                if diag is None
                else LinearOperatorDiag(diag, is_positive_definite=is_diag_update_positive)
            )
            parents = [*base_operator.graph_parents, self._u, *([] if diag is None else [diag]), self._v]
            for tensor in (self._u, self._v, *([] if diag is None else [diag])):
                if tensor.dtype != base_operator.dtype:
                    raise TypeError(f"Expected all arguments to have dtype {base_operator.dtype}, found {tensor.dtype}")
            super().__init__(
                base_operator.dtype,
                parents,
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name=name,
            )

    @property
    def base_operator(self) -> LinearOperator:
        """The operator that is updated."""
        return self._base

    @property
    def u(self) -> Tensor:
        """The left factor of the update."""
        return self._u

    @property
    def v(self) -> Tensor:
        """The right factor of the update."""
        return self._v

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal between them; None for ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The diagonal as an operator."""
        return self._middle

    @property
    def is_diag_update_positive(self) -> Hint:
        """Whether the diagonal is known to be positive."""
        return self._middle.is_positive_definite

    def _shape(self) -> TensorShape:
        batch = broadcast_static_shape(self._base.batch_shape, self._u.get_shape()[:-2])
        return batch.concatenate(self._base.shape[-2:])

    def _shape_tensor(self) -> Tensor:
        batch = broadcast_dynamic_shape(self._base.batch_shape_tensor(), shape_internal(self._u)[:-2])
        return composing.concat([batch, self._base.shape_tensor()[-2:]], 0)

    def _factors(self, adjoint: bool) -> tuple[Tensor, Tensor]:
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = self._factors(adjoint)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = matmul(left, self._middle.matmul(inner, adjoint=adjoint))
        return self._base.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self) -> Tensor:
        """The small matrix D^-1 + v^H base^-1 u."""
        solved = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        return self._middle.inverse().add_to_tensor(solved)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = self._factors(adjoint)
        first = self._base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, first, adjoint_a=True)
        small = self._capacitance()
        if self._by_base_cholesky:
            factor, inner = broadcast_batches(cholesky(small), inner)
            inner = cholesky_solution(factor, inner)
        else:
            small, inner = broadcast_batches(small, inner)
            inner = raw.MatrixSolve(small, inner, adjoint=adjoint)
        return first - self._base.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        if self._by_base_cholesky:
            return raw.Exp(self.log_abs_determinant())
        small = matrix_determinant(self._capacitance())
        return small * self._middle.determinant() * self._base.determinant()

    def _log_abs_determinant(self) -> Tensor:
        logs = self._middle.log_abs_determinant() + self._base.log_abs_determinant()
        small = self._capacitance()
        if self._by_base_cholesky:
            pivots = raw.MatrixDiagPart(cholesky(small), name="diag_part")
            return 2.0 * reduce_sum(raw.Log(pivots), axis=[-1]) + logs
        return raw.Log(abs(matrix_determinant(small))) + logs

    def _diag_part(self) -> Tensor:
        scaled = self._middle.matmul(composing.matrix_transpose(conjugate(self._v)))
        product = reduce_sum(scaled * composing.matrix_transpose(self._u), axis=-2)
        return product + self._base.diag_part()
