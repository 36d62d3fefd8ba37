"""Factorization of sparse matrices by weighted alternating least squares.

Hu, Koren and Volinsky, "Collaborative filtering for implicit feedback datasets", ICDM 2008.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.functions.flow.checks import assert_less_equal
from headrace.functions.flow.cond import cond
from headrace.functions.math.linalg_functions import matrix_solve
from headrace.functions.math.matrices import eye, trace
from headrace.functions.nn.embedding import embedding_lookup
from headrace.functions.sparse.layout import sparse_transpose
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import expand_dims, rank, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.dynamic import dynamic_partition
from headrace.ops.array.split import split
from headrace.ops.array.unique import unique
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.unary import square
from headrace.ops.random.normal import random_normal
from headrace.ops.sparse.add import sparse_add
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul
from headrace.ops.sparse.reduce import sparse_reduce_sum
from headrace.state.collecting import variables_initializer
from headrace.state.updates import assign, scatter_update
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def _shard_sizes(total: int, num_shards: int) -> list[int]:
    size, rest = divmod(total, num_shards)
    return [size + 1] * rest + [size] * (num_shards - rest)


def _shards(name: str, sizes: Sequence[int], value: Callable[[int, int], Any]) -> list[Any]:
    def initial(i: int, size: int) -> Callable[[], Any]:
        return lambda: value(i, size)

    return [VariableV1(initial(i, size), dtype="float32", name=f"{name}_shard_{i}") for i, size in enumerate(sizes)]


def _copy(name: str) -> Variable:
    return VariableV1(1.0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=False, name=name)


class _Cached:
    """A copy of variables that stays as it is while they are updated, with the ops that make and free it."""

    def __init__(self, source: Any, name: str, pass_through: bool) -> None:
        self.value, self.init, self.reset = source, None, None
        if source is None:
            return
        if pass_through:
            self.init, self.reset = no_op(), no_op()
        elif isinstance(source, list):
            self.value = [_copy(f"{name}_shard_{i}") for i in range(len(source))]
            resets = []
            for copy, original in zip(self.value, source, strict=True):
                with colocate_with(copy):
                    # One after another; the last stands for all.
                    with control_dependencies([self.init] if self.init is not None else []):
                        self.init = assign(copy, original, validate_shape=False)
                    resets.append(assign(copy, 1.0, validate_shape=False))
            self.reset = group(*resets)
        else:
            self.value = _copy(name)
            with colocate_with(self.value):
                self.init = assign(self.value, source, validate_shape=False)
                self.reset = assign(self.value, 1.0, validate_shape=False)


class WALSModel:
    """A sparse matrix as the product of two thin ones: A is close to U V^T, where observed entries weigh more.

    What is made small is the sum over all entries of w (A - U V^T)^2, plus the regularization times the squared norms
    of U and V. An observed entry has w = unobserved_weight + row_weight * col_weight, another w = unobserved_weight
    and A = 0. U and V are solved for in turns, each while the other stays as it is: a sweep over rows, then one over
    columns.

    Args:
        input_rows, input_cols: the size of the matrix.
        n_components: the columns of U and V.
        unobserved_weight: the weight of entries that were not observed.
        regularization: the weight of the squared norms, or None.
        row_init, col_init: "random" (normal), a tensor or array, a list of them (one a shard), or a function that
            returns either.
        num_row_shards, num_col_shards: into how many variables U and V are cut.
        row_weights, col_weights: a number, a list of numbers, a list of such lists (one a shard), or None for both,
            which gives all entries the unobserved weight.
        use_factors_weights_cache: whether factors and weights are copied to local variables for a sweep.
        use_gramian_cache: whether V^T V and U^T U are.
        use_scoped_vars: whether each group of variables gets a name scope.

    Raises:
        ValueError: for weights of another kind.

    Example:
        >>> entries = tf.SparseTensor([[0, 0], [1, 2], [3, 1]], [1.0, 2.0, 3.0], [4, 3])
        >>> model = tf.contrib.factorization.WALSModel(4, 3, n_components=2, regularization=0.1)
        >>> _, update_rows, loss, *_ = model.update_row_factors(sp_input=entries)
        >>> sess.run([model.initialize_op]); sess.run(model.worker_init)
        >>> sess.run(model.row_update_prep_gramian_op); sess.run(model.initialize_row_update_op)
        >>> sess.run(update_rows)
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: float | None = None,
        row_init: TensorLike = "random",
        col_init: TensorLike = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: int | Sequence[float | Sequence[float]] | None = 1,
        col_weights: float | None = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ) -> None:
        assert (row_weights is None) == (col_weights is None), "row_weights and col_weights are None together only"
        self._input_rows, self._input_cols = input_rows, input_cols
        self._num_row_shards, self._num_col_shards = num_row_shards, num_col_shards
        self._n_components = n_components
        self._unobserved_weight = unobserved_weight
        self._regularization = regularization
        self._regularization_matrix: Tensor | None = (
            None if regularization is None else regularization * eye(n_components)
        )

        def made(name: str, make: Callable[..., Any], *args: Any) -> Any:
            if not use_scoped_vars:
                return make(*args, name)
            with name_scope(name):
                return make(*args, name)

        self._row_weights = made("row_weights", self._create_weights, row_weights, input_rows, num_row_shards)
        self._col_weights = made("col_weights", self._create_weights, col_weights, input_cols, num_col_shards)
        row_args = (input_rows, n_components, num_row_shards, row_init)
        col_args = (input_cols, n_components, num_col_shards, col_init)
        self._row_factors = made("row_factors", self._create_factors, *row_args)
        self._col_factors = made("col_factors", self._create_factors, *col_args)
        self._row_gramian: Any = self._create_gramian(n_components, "row_gramian")
        self._col_gramian: Any = self._create_gramian(n_components, "col_gramian")
        with name_scope("row_prepare_gramian"):
            self._row_prep = self._prepare_gramian(self._col_factors, self._col_gramian)
        with name_scope("col_prepare_gramian"):
            self._col_prep = self._prepare_gramian(self._row_factors, self._row_gramian)
        with name_scope("transient_vars"):
            self._create_copies(not use_factors_weights_cache, not use_gramian_cache)

    @property
    def row_factors(self) -> list[Any]:
        """U, a list of variables."""
        return self._row_factors

    @property
    def col_factors(self) -> list[Any]:
        """V, a list of variables."""
        return self._col_factors

    @property
    def row_weights(self) -> list[Any] | None:
        """The weights of rows, a list of variables, or None."""
        return self._row_weights

    @property
    def col_weights(self) -> list[Any] | None:
        """The weights of columns, a list of variables, or None."""
        return self._col_weights

    @property
    def initialize_op(self) -> Operation:
        """An op that initializes the model's variables."""
        every = [*self._row_factors, *self._col_factors, self._row_gramian, self._col_gramian]
        if self._row_weights is not None and self._col_weights is not None:
            every += [*self._row_weights, *self._col_weights]
        return variables_initializer(every)

    @property
    def worker_init(self) -> Operation:
        """The op that each worker runs once: it copies the weights."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Operation:
        """The op that computes V^T V, which runs before a sweep over rows."""
        return self._row_prep

    @property
    def col_update_prep_gramian_op(self) -> Operation:
        """The op that computes U^T U, which runs before a sweep over columns."""
        return self._col_prep

    @property
    def initialize_row_update_op(self) -> Operation:
        """The op that each worker runs before a sweep over rows, after `row_update_prep_gramian_op`."""
        return self._row_updates_init

    @property
    def initialize_col_update_op(self) -> Operation:
        """The op that each worker runs before a sweep over columns, after `col_update_prep_gramian_op`."""
        return self._col_updates_init

    @classmethod
    def _create_factors(cls, rows: int, cols: int, num_shards: int, init: Any, name: str) -> list[Any]:
        if callable(init):
            init = init()
        random = isinstance(init, str) and init == "random"
        if isinstance(init, list):
            assert len(init) == num_shards, f"{len(init)} initial values for {num_shards} shards of {name}"
        elif not random and num_shards == 1:
            init = [init]
        return _shards(
            name, _shard_sizes(rows, num_shards), lambda i, size: random_normal([size, cols]) if random else init[i]
        )

    @classmethod
    def _create_weights(cls, init: Any, count: int, num_shards: int, name: str) -> list[Any] | None:
        if init is None:
            return None
        same_for_all = False
        if isinstance(init, Iterable):
            init = list(init)
            if num_shards == 1 and len(init) == count:
                init = [init]
            assert len(init) == num_shards, f"{len(init)} lists of weights for {num_shards} shards of {name}"
        elif isinstance(init, numbers.Real) and float(init) >= 0:
            same_for_all = True
        else:
            raise ValueError(
                "Invalid weight initialization argument. Must be one of these: None, a number that is not negative, or a "
                f"list of lists of such numbers, one for each shard; got {init!r} for {name}."
            )
        sizes = _shard_sizes(count, num_shards)
        return _shards(name, sizes, lambda i, size: init * ones([size]) if same_for_all else init[i])

    @staticmethod
    def _create_gramian(n_components: int, name: str) -> Variable:
        return VariableV1(zeros([n_components, n_components]), dtype="float32", name=name)

    @staticmethod
    def _prepare_gramian(factors: list[Any], gramian: Variable) -> Operation:
        parts = []
        for factor in factors:
            with colocate_with(factor):
                parts.append(matmul(factor, factor, transpose_a=True))
        with colocate_with(gramian):
            return assign(gramian, add_n(parts)).op

    def _create_copies(self, keep_factors: bool, keep_gramians: bool) -> None:
        row_factors = _Cached(self._row_factors, "row_factors_cache", keep_factors)
        col_factors = _Cached(self._col_factors, "col_factors_cache", keep_factors)
        row_weights = _Cached(self._row_weights, "row_wt_cache", keep_factors)
        col_weights = _Cached(self._col_weights, "col_wt_cache", keep_factors)
        row_gramian = _Cached(self._row_gramian, "row_gramian_cache", keep_gramians)
        col_gramian = _Cached(self._col_gramian, "col_gramian_cache", keep_gramians)
        self._row_updates_init = group(col_factors.init, row_factors.reset, col_gramian.init, row_gramian.reset)
        self._col_updates_init = group(row_factors.init, col_factors.reset, row_gramian.init, col_gramian.reset)
        if row_weights.value is None:
            self._worker_init = no_op(name="worker_init")
        else:
            self._worker_init = group(row_weights.init, col_weights.init, name="worker_init")
        # What a sweep over rows, and one over columns, reads: the other factors, both weights, the other gramian.
        self._of_rows = (col_factors.value, row_weights.value, col_weights.value, col_gramian.value)
        self._of_cols = (row_factors.value, col_weights.value, row_weights.value, row_gramian.value)

    @staticmethod
    def _get_sharding_func(size: int, num_shards: int) -> Callable[[Any], tuple[Any, Any]]:
        """The function from ids to (shard or None for the only one, place in the shard)."""

        def places(ids: Tensor) -> tuple[Any, Any]:
            if num_shards == 1:
                return None, ids
            per_shard, extras = divmod(size, num_shards)
            shards = maximum(ids // (per_shard + 1), (ids - extras) // per_shard)
            inside = where_v2(shards < extras, ids % (per_shard + 1), (ids - extras) % per_shard)
            return shards, inside

        return places

    @classmethod
    def scatter_update(
        cls,
        factor: list[Any],
        indices: Tensor,
        values: Tensor,
        sharding_func: Callable[[Any], Any],
        name: str | None = None,
    ) -> Operation:
        """The op that sets rows of sharded factors.

        Args:
            factor: the variables.
            indices: int64 ids of rows.
            values: the rows.
            sharding_func: from ids to (shards, places in them).
            name: a name for the operation.
        """
        if len(factor) == 1:
            with colocate_with(factor[0]):
                return scatter_update(factor[0], indices, values, name=name).op
        shards, inside = sharding_func(indices)
        shards = cast(shards, "int32")
        ids = dynamic_partition(inside, shards, len(factor))
        rows = dynamic_partition(values, shards, len(factor))
        return group(*(scatter_update(*part) for part in zip(factor, ids, rows, strict=True)), name=name)

    def update_row_factors(
        self, sp_input: SparseTensor | None = None, transpose_input: bool = False
    ) -> tuple[Any, ...]:
        """Solves for rows of U.

        Args:
            sp_input: a `SparseTensor` with the entries of some rows; it has to hold all of a row's entries.
            transpose_input: whether its columns are the matrix's rows.

        Returns:
            (the new rows of U that the input has entries of, the op that writes them, the loss without regularization
            scaled to all rows, the regularization term, the sum of weights).
        """
        return self._solve(True, sp_input, transpose_input)

    def update_col_factors(
        self, sp_input: SparseTensor | None = None, transpose_input: bool = False
    ) -> tuple[Any, ...]:
        """Solves for rows of V, which stand for columns of the matrix; arguments and results as `update_row_factors`."""
        return self._solve(False, sp_input, transpose_input)

    def project_row_factors(
        self,
        sp_input: SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: Sequence[float] | None = None,
    ) -> Tensor:
        """The rows of U that would be solved for, without writing them: for rows the model has not seen.

        Args:
            sp_input: a `SparseTensor` with the entries of some rows.
            transpose_input: whether its columns are the matrix's rows.
            projection_weights: the weight of each of these rows, or one for all; 1 by default.
        """
        return self._solve(True, sp_input, transpose_input, 1 if projection_weights is None else projection_weights)[0]

    def project_col_factors(
        self, sp_input: SparseTensor | None = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The rows of V that would be solved for, without writing them; arguments as in `project_row_factors`."""
        return self._solve(False, sp_input, transpose_input, 1 if projection_weights is None else projection_weights)[0]

    def _solve(
        self, of_rows: bool, sp_input: Any, transpose_input: bool, given_weights: int | Sequence[float] | None = None
    ) -> tuple[Any, ...]:
        assert isinstance(sp_input, SparseTensor), f"sp_input must be a SparseTensor, got {type(sp_input).__name__}"
        if of_rows:
            left, (right_factors, row_wt, col_wt, gramian) = self._row_factors, self._of_rows
            total_rows, total_cols, num_shards = self._input_rows, self._input_cols, self._num_row_shards
        else:
            left, (right_factors, row_wt, col_wt, gramian) = self._col_factors, self._of_cols
            total_rows, total_cols, num_shards = self._input_cols, self._input_rows, self._num_col_shards
            transpose_input = not transpose_input
        sharding = self._get_sharding_func(total_rows, num_shards)

        # The rows and columns that occur are numbered anew, so that only those are gathered.
        rows, cols = split(value=sp_input.indices, num_or_size_splits=2, axis=1)
        row_indices, row_numbers = unique(rows[:, 0])
        col_indices, col_numbers = unique(cols[:, 0])
        cols = expand_dims(cast(col_numbers, "int64"), 1)
        rows = expand_dims(cast(row_numbers, "int64"), 1)
        updated, read = (col_indices, row_indices) if transpose_input else (row_indices, col_indices)
        num_read = [cast(shape(read)[0], "int64")]
        num_rows = cast(shape(updated)[0], "int64")
        right = embedding_lookup(right_factors, read, partition_strategy="div")
        numbered = concat([rows, cols], 1)
        entries = SparseTensor(
            numbered, sp_input.values, concat([num_read, [num_rows]] if transpose_input else [[num_rows], num_read], 0)
        )

        lhs: Tensor = self._unobserved_weight * gramian
        if self._regularization_matrix is not None:
            lhs += self._regularization_matrix
        row_weights: Tensor | None = None
        col_weights: Tensor | None = None
        if self._row_weights is None:
            rhs = self._unobserved_weight * sparse_tensor_dense_matmul(entries, right, adjoint_a=transpose_input)
            solved = transpose(matrix_solve(lhs, transpose(rhs)))
        else:
            row_weights = self._weights_of(row_wt, updated, given_weights)
            col_weights = embedding_lookup(col_wt, read, partition_strategy="div")
            partial_lhs, rhs = raw.WALSComputePartialLhsAndRhs(
                right,
                col_weights,
                self._unobserved_weight,
                row_weights,
                entries.indices,
                entries.values,
                [],
                num_rows,
                transpose_input,
                name="wals_compute_partial_lhs_rhs",
            )
            lhs = expand_dims(lhs, 0) + partial_lhs
            rhs = expand_dims(rhs, -1)
            solved = squeeze(matrix_solve(lhs, rhs), [2])
        update = self.scatter_update(left, updated, solved, sharding, name="row_update" if of_rows else "col_update")
        if transpose_input:
            entries = sparse_transpose(entries)
        losses = self._losses(
            entries, solved, right, row_weights, col_weights, gramian, total_rows, total_cols, num_rows
        )
        return (solved, update, *losses)

    @staticmethod
    def _weights_of(weights: Sequence[Variable], ids: Tensor, given: TensorLike | None) -> Tensor:
        if given is None:
            return embedding_lookup(weights, ids, partition_strategy="div")
        count = shape(ids)[0]
        with control_dependencies([assert_less_equal(rank(given), 1)]):
            return cond(equal(rank(given), 0), lambda: ones([count]) * given, lambda: cast(given, "float32"))

    def _losses(
        self,
        entries: Any,
        solved: TensorLike,
        right: Tensor,
        row_weights: Tensor | None,
        col_weights: Tensor | None,
        gramian: Variable,
        total_rows: int,
        total_cols: int,
        num_rows: Tensor,
    ) -> tuple[Any, Any, Any]:
        """(loss without regularization, regularization, sum of weights), scaled to all rows."""
        products = raw.MaskedMatmul(solved, right, entries.indices, transpose_a=False, transpose_b=True)
        approximation: Any = SparseTensor(entries.indices, products, entries.dense_shape)
        approximated = square(approximation)
        missed: Any = square(sparse_add(entries, approximation * (-1)))
        row_column: Tensor = constant(0.0) if row_weights is None else expand_dims(row_weights, 1)
        col_row: Tensor = constant(0.0) if col_weights is None else expand_dims(col_weights, 0)
        own_gramian = matmul(solved, solved, transpose_a=True)
        scale = total_rows / cast(num_rows, "float32")
        loss = (
            self._unobserved_weight
            * (sparse_reduce_sum(missed) - sparse_reduce_sum(approximated) + trace(matmul(own_gramian, gramian)))
            + sparse_reduce_sum(row_column * (missed * col_row))
        ) * scale
        if self._regularization is None:
            regularization: Tensor = constant(0.0)
        else:
            regularization = self._regularization * (trace(own_gramian) * scale + trace(gramian))
        weights: Tensor = self._unobserved_weight * cast(total_rows * total_cols, "float32")
        if row_weights is not None:
            each: SparseTensor = SparseTensor(entries.indices, ones(shape(entries.values)), entries.dense_shape)
            weights += sparse_reduce_sum(row_column * (each * col_row)) * scale
        return loss, regularization, weights
