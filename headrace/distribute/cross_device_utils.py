"""What cross-device operations are put together from: sums, copies and packs of tensors of several devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.aggregation import added_slices
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import colocate_with
from headrace.core.defaults import device as device_scope
from headrace.core.registry import raw
from headrace.distribute.values import DistributedValues
from headrace.functions.math.reduction import reduce_all
from headrace.ops.array.shape import reshape
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def is_indexed_slices(value: Any) -> bool:
    """Whether a value is an IndexedSlices, or IndexedSlices of several devices."""
    if isinstance(value, IndexedSlices):
        return True
    return isinstance(value, DistributedValues) and all(isinstance(part, IndexedSlices) for part in value.values)


def contains_indexed_slices(value: Any) -> bool:
    """Whether a value is an IndexedSlices, or holds one."""
    if isinstance(value, IndexedSlices):
        return True
    if isinstance(value, (list, tuple)) and value:
        return any(contains_indexed_slices(item) for item in value)
    return isinstance(value, DistributedValues) and contains_indexed_slices(list(value.values))


def aggregate_tensors_or_indexed_slices(values: Sequence[Any], accumulation_fn: Callable[..., Any] = add_n) -> Any:
    """The sum of values of several devices.

    Args:
        values: tensors, or IndexedSlices.
        accumulation_fn: what sums tensors.

    Example:
        >>> from headrace.distribute import cross_device_utils
        >>> total = cross_device_utils.aggregate_tensors_or_indexed_slices([tf.constant(1.0), tf.constant(2.0)])
    """
    return (
        added_slices(values) if any(isinstance(value, IndexedSlices) for value in values) else accumulation_fn(values)
    )


def divide_by_n_tensors_or_indexed_slices(value: Any, n: int) -> Any:
    """A value divided by a number."""
    if isinstance(value, IndexedSlices):
        return IndexedSlices(value.values / n, value.indices, value.dense_shape)
    return value / n


def copy_tensor_or_indexed_slices_to_device(value: Any, device: str) -> Any:
    """A value on a device."""
    with device_scope(device):
        if isinstance(value, IndexedSlices):
            shape = None if value.dense_shape is None else raw.Identity(value.dense_shape)
            return IndexedSlices(raw.Identity(value.values), raw.Identity(value.indices), shape)
        return raw.Identity(value)


def split_by_sparsity(values: Sequence[Any]) -> tuple[list[Any], list[Any], list[int], list[int]]:
    """Values that are tensors and those that are IndexedSlices, and the places of both.

    Args:
        values: values of several devices.

    Returns:
        (tensors, slices, places of tensors, places of slices).
    """
    dense: list[Any] = []
    sparse: list[Any] = []
    dense_places: list[int] = []
    sparse_places: list[int] = []
    for place, value in enumerate(values):
        if is_indexed_slices(value):
            sparse.append(value)
            sparse_places.append(place)
        else:
            dense.append(value)
            dense_places.append(place)
    return dense, sparse, dense_places, sparse_places


def stitch_values(values_and_indices_list: Sequence[Any]) -> list[Any]:
    """The values that `split_by_sparsity` took apart, at their places.

    Args:
        values_and_indices_list: pairs of values and their places.
    """
    found: dict[int, Any] = {}
    for values, places in values_and_indices_list:
        found.update(zip(places, values, strict=True))
    return [found[place] for place in range(len(found))]


def group_device_names(devices: Sequence[str], group_size: int) -> list[list[str]]:
    """Devices in groups of one size, dealt in turn; where they cannot be divided evenly, groups share devices.

    Args:
        devices: the names.
        group_size: how many are in a group.

    Raises:
        ValueError: if there are fewer devices.
    """
    count = len(devices)
    if group_size > count:
        raise ValueError(f"only {count} devices, but group_size={group_size}")
    groups = count // group_size + (1 if count % group_size else 0)
    return [[devices[(i + j * groups) % count] for j in range(group_size)] for i in range(groups)]


def aggregate_single_gradient_using_copy(
    grad_and_vars: Sequence[Any], use_mean: bool, check_inf_nan: bool
) -> tuple[Any, Any]:
    """The sum or mean of the gradients that replicas have for one variable.

    Args:
        grad_and_vars: a pair of gradient and variable for each replica.
        use_mean: whether to divide by their number.
        check_inf_nan: whether to tell if a gradient is not finite.

    Returns:
        the pair of the sum and the first replica's variable, and a bool tensor that says whether it is not finite, or
        None.
    """
    grads = [grad for grad, _ in grad_and_vars]
    grad = add_n(grads)
    if use_mean and len(grads) > 1:
        grad = raw.Mul(grad, 1.0 / len(grads))
    variable = grad_and_vars[0][1]
    if check_inf_nan:
        with device_scope(grad.device):
            return (grad, variable), raw.LogicalNot(reduce_all(raw.IsFinite(grads)))
    return (grad, variable), None


def aggregate_gradients_using_copy(avail_devices: Sequence[str], replica_grads: Sequence[Any]) -> list[Any]:
    """Sums gradients variable by variable, each on one of the devices in turn, and copies the sums to all.

    Args:
        avail_devices: the devices of the replicas.
        replica_grads: for each replica the pairs of gradient and variable.

    Returns:
        as `replica_grads`, with the sums.
    """
    made: list[list[Any]] = [[] for _ in replica_grads]
    for number, pairs in enumerate(zip(*replica_grads, strict=True)):
        with device_scope(avail_devices[number % len(avail_devices)]):
            (total, _), _ = aggregate_single_gradient_using_copy(pairs, False, False)
        for replica, (_, variable) in enumerate(pairs):
            made[replica].append((total, variable))
    return made


class ConcatAndSplitPacker:
    """Puts the tensors of each replica into a few long ones, which are reduced together.

    Args:
        num_packs: how many.
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs <= 0:
            raise ValueError("num_packs must be greater than zero.")
        self.num_packs = num_packs

    def pack(self, grouped_grads_and_vars: Sequence[Any]) -> list[list[Any]]:
        """The long tensors of each replica, as pairs with no variable."""
        self._pairs = grouped_grads_and_vars
        self._shapes, self._sizes = [], []
        packs = []
        for pairs in grouped_grads_and_vars:
            with colocate_with(pairs[0][0]):
                grads = [grad for grad, _ in pairs]
                shapes = [raw.Shape(grad) for grad in grads]
                sizes = [raw.Size(grad) for grad in grads]
                whole = (
                    raw.ConcatV2([reshape(grad, [-1]) for grad in grads], 0)
                    if len(grads) > 1
                    else reshape(grads[0], [-1])
                )
                self._shapes.append(shapes)
                self._sizes.append(sizes)
                packs.append([(part, None) for part in self._split(whole)])
        return packs

    def _split(self, whole: Tensor) -> list[Tensor]:
        if self.num_packs == 1:
            return [whole]
        total = raw.Size(whole)
        size = raw.FloorDiv(total, self.num_packs)
        sizes = [size] * (self.num_packs - 1) + [raw.Sub(total, raw.Mul(size, self.num_packs - 1))]
        return list(raw.SplitV(whole, raw.Pack(sizes), 0, num_split=self.num_packs))

    def unpack(self, summed_device_grad_packs: Sequence[Any]) -> list[list[Any]]:
        """The pairs of each replica again, with what their long tensors were reduced to."""
        found = []
        for pairs, packs, shapes, sizes in zip(
            self._pairs, summed_device_grad_packs, self._shapes, self._sizes, strict=True
        ):
            with colocate_with(packs[0][0]):
                parts = [part for part, _ in packs]
                whole = raw.ConcatV2(parts, 0) if len(parts) > 1 else parts[0]
                if len(sizes) == 1:
                    split = [whole]
                else:
                    split = raw.SplitV(whole, raw.Pack(sizes), 0, num_split=len(sizes))
                found.append(
                    [(reshape(part, shape), var) for part, shape, (_, var) in zip(split, shapes, pairs, strict=True)]
                )
        return found


def packer_of(num_packs: int, max_bytes: int, max_group: int) -> ConcatAndSplitPacker | SmallTensorPacker | None:
    """What packs tensors before they are reduced; None where each is reduced by itself.

    Args:
        num_packs: into how many tensors; 0 for no packing by number.
        max_bytes: where `num_packs` is 0, tensors of at most so many bytes go into one; 0 for no packing.
        max_group: how many of these go into one.
    """
    if num_packs > 0:
        return ConcatAndSplitPacker(num_packs)
    return SmallTensorPacker(max_bytes, max_group) if max_bytes > 0 and max_group > 0 else None


class SmallTensorPacker:
    """Puts small tensors of each replica into longer ones, which are reduced together.

    Args:
        max_bytes: the size of what counts as small.
        max_group: how many go into one.
    """

    def __init__(self, max_bytes: int = 1048576, max_group: int = 16) -> None:
        self.max_bytes, self.max_group = max_bytes, max_group

    def _groups(self, grads: Sequence[Tensor]) -> list[list[int]]:
        """The places of small tensors of one type that go together."""
        by_type: dict[Any, list[int]] = {}
        for place, grad in enumerate(grads):
            size = grad.shape.num_elements()
            if size is not None and size * grad.dtype.size <= self.max_bytes:
                by_type.setdefault(grad.dtype, []).append(place)
        groups = []
        for places in by_type.values():
            cut = [places[i : i + self.max_group] for i in range(0, len(places), self.max_group)]
            groups += [group for group in cut if len(group) > 1]
        return groups

    def pack(self, grouped_grads_and_vars: Sequence[Any]) -> list[list[Any]]:
        """The long tensors of each replica, then those that were left, as pairs with no variable."""
        self._pairs = grouped_grads_and_vars
        self._packed = self._groups([grad for grad, _ in grouped_grads_and_vars[0]])
        packed = {place for group in self._packed for place in group}
        self._left = [place for place in range(len(grouped_grads_and_vars[0])) if place not in packed]
        made = []
        for pairs in grouped_grads_and_vars:
            with colocate_with(pairs[0][0]):
                long = [raw.ConcatV2([reshape(pairs[i][0], [-1]) for i in group], 0) for group in self._packed]
            made.append([(value, None) for value in (*long, *(pairs[i][0] for i in self._left))])
        return made

    def unpack(self, summed_device_grad_packs: Sequence[Any]) -> list[list[Any]]:
        """The pairs of each replica again, with what their long tensors were reduced to."""
        made = []
        for pairs, packs in zip(self._pairs, summed_device_grad_packs, strict=True):
            sums = [total for total, _ in packs]
            found: dict[int, Tensor] = dict(zip(self._left, sums[len(self._packed) :], strict=True))
            for group, total in zip(self._packed, sums):
                dims = [pairs[i][0].dims for i in group]
                with colocate_with(total):
                    split = raw.SplitV(total, [math.prod(d) for d in dims], 0, num_split=len(group))
                    found.update((i, reshape(part, d)) for i, part, d in zip(group, split, dims, strict=True))
            made.append([(found[i], var) for i, (_, var) in enumerate(pairs)])
        return made
