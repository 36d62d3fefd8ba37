"""The methods of variables that change some of their slices, the same for both kinds of variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.state.updates import batch_scatter_update

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variable_class import Variable


class SparseUpdates:
    """Scatter methods over two primitives that a kind of variable provides.

    `sparse_delta` is an `IndexedSlices`: values [n, ...] and the rows [n] they belong to. All methods return what
    evaluates to the new value of the whole variable and raise TypeError if `sparse_delta` is something else.
    """

    def _scatter_rows(
        self,
        kind: str,
        indices: Tensor | np.ndarray | Sequence[int],
        updates: Tensor | np.ndarray | Sequence[float],
        use_locking: bool,
        name: str | None,
    ) -> Any:
        raise NotImplementedError

    def _scatter_slices(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        raise NotImplementedError

    def _scatter(self, kind: str, sparse_delta: TensorLike, use_locking: bool, name: str | None) -> Tensor | Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return self._scatter_rows(kind, sparse_delta.indices, sparse_delta.values, use_locking, name)

    def scatter_sub(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtracts the slices from the rows they belong to."""
        return self._scatter("Sub", sparse_delta, use_locking, name)

    def scatter_add(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds the slices to the rows they belong to."""
        return self._scatter("Add", sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Makes the rows the larger of themselves and the slices."""
        return self._scatter("Max", sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Makes the rows the smaller of themselves and the slices."""
        return self._scatter("Min", sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies the rows by the slices."""
        return self._scatter("Mul", sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides the rows by the slices."""
        return self._scatter("Div", sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Any:
        """Puts the slices in the place of the rows."""
        return self._scatter("Update", sparse_delta, use_locking, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Puts slices in place of rows within each element of a batch; see `tf.batch_scatter_update`."""
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return batch_scatter_update(self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name)

    def scatter_nd_sub(
        self,
        indices: Tensor | np.ndarray | Sequence[int],
        updates: np.ndarray | Sequence[float],
        name: str | None = None,
    ) -> Any:
        """Subtracts `updates` at the index vectors `indices`; see `tf.scatter_nd`."""
        return self._scatter_slices("Sub", indices, updates, name)

    def scatter_nd_add(
        self,
        indices: Tensor | np.ndarray | Sequence[int],
        updates: np.ndarray | Sequence[float],
        name: str | None = None,
    ) -> Any:
        """Adds `updates` at the index vectors `indices`."""
        return self._scatter_slices("Add", indices, updates, name)

    def scatter_nd_update(self, indices: TensorLike, updates: Sequence[float], name: str | None = None) -> Variable:
        """Writes `updates` at the index vectors `indices`."""
        return self._scatter_slices("Update", indices, updates, name)
