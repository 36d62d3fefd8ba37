"""Which weights are made zero, and when (Zhu and Gupta, "To prune, or not to prune", arXiv:1710.01878)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.model_pruning import masks
from headrace.contrib.training.hparams import HParams
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.functions.flow.cond import cond
from headrace.functions.nn.moments import zero_fraction
from headrace.functions.nn.pooling_functions import pool
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import shape, size, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.array.scatter import scatter_nd
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_
from headrace.ops.array.split import split
from headrace.ops.array.tile import tile
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.binary import add, maximum, minimum, multiply, pow
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import greater_equal, less, less_equal
from headrace.ops.math.division import div
from headrace.ops.math.logical import logical_and, logical_or
from headrace.ops.math.unary import abs, round
from headrace.ops.nn.topk import top_k
from headrace.state.global_step import get_global_step
from headrace.state.initializers import zeros_initializer
from headrace.state.partitioned import PartitionedVariable
from headrace.state.updates import assign
from headrace.state.variable_scope import get_variable, variable_scope
from headrace.summary.operations import scalar
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def get_pruning_hparams() -> Any:
    """The parameters of pruning with their defaults.

    Returns:
        `HParams` with `name` (of the scope); `begin_pruning_step` and `end_pruning_step` (-1: never);
        `weight_sparsity_map` and `block_dims_map`, lists of "pattern:sparsity" and "pattern:heightxwidth" for weights
        whose names match; `threshold_decay`, how much of the last threshold is kept; `pruning_frequency`, in steps;
        `nbins`, which is not used; `block_height`, `block_width` and `block_pooling_function`, by which weights are
        pruned in blocks; `initial_sparsity`, `target_sparsity`, `sparsity_function_begin_step`,
        `sparsity_function_end_step`, `sparsity_function_exponent`; `use_tpu`.
    """
    return HParams(
        name="model_pruning",
        begin_pruning_step=0,
        end_pruning_step=-1,
        weight_sparsity_map=[""],
        block_dims_map=[""],
        threshold_decay=0.0,
        pruning_frequency=10,
        nbins=256,
        block_height=1,
        block_width=1,
        block_pooling_function="AVG",
        initial_sparsity=0.0,
        target_sparsity=0.5,
        sparsity_function_begin_step=0,
        sparsity_function_end_step=100,
        sparsity_function_exponent=3.0,
        use_tpu=False,
    )


class Pruning:
    """The ops that update masks.

    Args:
        spec: `HParams` as `get_pruning_hparams` returns them; those by default.
        global_step: the number of steps; that of the default graph by default.
        sparsity: what share of each mask shall be zero, a scalar; by default it rises with the steps as the
            parameters say.

    Raises:
        ValueError: for parameters out of range.

    Example:
        >>> hparams = tf.contrib.model_pruning.get_pruning_hparams().parse("target_sparsity=0.9")
        >>> pruning = tf.contrib.model_pruning.Pruning(hparams, global_step=global_step)
        >>> mask_update = pruning.conditional_mask_update_op()
    """

    def __init__(
        self, spec: Any = None, global_step: TensorLike | Variable | None = None, sparsity: TensorLike | None = None
    ) -> None:
        self._spec = spec or get_pruning_hparams()
        self._check()
        self._global_step = cast(get_global_step() if global_step is None else global_step, "int32")
        self._sparsity = self._rising_sparsity() if sparsity is None else sparsity
        self._assign_ops: list[Any] = []
        self._last_update_step = self._step_variable()
        self._blocks = _by_pattern(self._spec.block_dims_map, _block_dims)
        self._sparsities = _by_pattern(self._spec.weight_sparsity_map, _target_sparsity)

    def _check(self) -> None:
        spec = self._spec
        if spec.begin_pruning_step < 0:
            raise ValueError("Illegal value for begin_pruning_step")
        if spec.end_pruning_step != -1 and spec.begin_pruning_step >= spec.end_pruning_step:
            raise ValueError(
                f"Pruning must begin before it can end. begin_step={spec.begin_pruning_step}, "
                f"end_step={spec.end_pruning_step}. With end_pruning_step=-1 it does not end before training does."
            )
        if spec.sparsity_function_begin_step < 0:
            raise ValueError("Illegal value for sparsity_function_begin_step")
        if spec.sparsity_function_begin_step >= spec.sparsity_function_end_step:
            raise ValueError("Sparsity function requires begin_step < end_step")
        for name in ("threshold_decay", "initial_sparsity", "target_sparsity"):
            if not 0.0 <= getattr(spec, name) < 1.0:
                raise ValueError(f"{name} must be in range [0,1)")

    def _rising_sparsity(self) -> Tensor:
        spec = self._spec
        begin, end = spec.sparsity_function_begin_step, spec.sparsity_function_end_step
        with name_scope(spec.name):
            done: Tensor = minimum(1.0, maximum(0.0, div(cast(self._global_step - begin, "float32"), end - begin)))
            rest = pow(1 - done, spec.sparsity_function_exponent)
            missing = multiply(spec.initial_sparsity - spec.target_sparsity, rest)
            return add(missing, spec.target_sparsity, name="sparsity")

    def _step_variable(self) -> Variable:
        name = "last_mask_update_step"
        with variable_scope(self._spec.name, use_resource=self._spec.use_tpu) as scope:
            try:
                return get_variable(name, [], initializer=zeros_initializer(), trainable=False, dtype="int32")
            except ValueError:  # another `Pruning` of the same name made it
                scope.reuse_variables()
                return get_variable(name, dtype="int32")

    def _sparsity_of(self, name: str) -> Any:
        target = _only(self._sparsities, name, "weight_sparsity_map")
        if target is None:
            return self._sparsity
        return multiply(self._sparsity, div(target, self._spec.target_sparsity))

    def _update(self, name: str, weights: Tensor | Variable, threshold: Variable) -> tuple[Any, Any]:
        """The threshold that leaves as many weights as the sparsity says, mixed with the last; and the mask."""
        if self._sparsity is None:
            raise ValueError("Sparsity variable undefined")
        sparsity = self._sparsity_of(name)
        with name_scope(f"{name}_pruning_ops"):
            magnitudes = abs(weights)
            kept: Tensor = cast(round(cast(size(magnitudes), "float32") * (1 - sparsity)), "int32")
            ordered, _ = top_k(reshape(magnitudes, [-1]), k=size(magnitudes))
            current = gather(ordered, kept - 1)
            decay = self._spec.threshold_decay
            smoothed = add_n([multiply(current, 1 - decay), multiply(threshold, decay)])
            return smoothed, cast(greater_equal(magnitudes, smoothed), "float32")

    def _update_in_blocks(self, weights: Variable, threshold: Variable) -> tuple[Any, Any]:
        spec, name = self._spec, weights.op.name
        given = _only(self._blocks, name, "block_dims_map") or [spec.block_height, spec.block_width]
        matrix = squeeze(weights)
        if matrix.get_shape().ndims != 2 or given == [1, 1]:
            return self._update(name, weights, threshold)
        sizes: list[Any] = matrix.get_shape().as_list()
        dims: list[int] = [full_shape if dim == -1 else dim for dim, full_shape in zip(given, sizes, strict=True)]
        if spec.block_pooling_function not in ("AVG", "MAX"):
            raise ValueError(f"Unknown pooling function for block sparsity: {spec.block_pooling_function}")
        with name_scope(f"{name}_pruning_ops"):
            magnitudes = abs(matrix)
            settings = {"pooling_type": spec.block_pooling_function, "padding": "SAME", "name": f"{name}_pooled"}
            if spec.use_tpu:
                pooled = _pool_by_axis(magnitudes, dims, **settings)
            else:
                images = reshape(magnitudes, [1, *sizes, 1])
                pooled = squeeze(pool(images, window_shape=dims, strides=dims, **settings), axis=[0, 3])
            # TensorFlow names the inner ops by what is pruned: the pooled weights.
            smoothed, blocks = self._update(pooled.op.name, pooled, threshold)
            mask = slice_(expand_tensor(blocks, dims), [0, 0], sizes)
        return smoothed, reshape(mask, shape(weights))

    def _add_assign_ops(self) -> None:
        found, thresholds, weights = masks.get_masks(), masks.get_thresholds(), masks.get_weights()
        if len(found) != len(thresholds):
            raise ValueError(f"Number of masks {len(found)} and number of thresholds {len(thresholds)} mismatch")
        for mask, threshold, weight in zip(found, thresholds, weights, strict=False):
            partitioned = isinstance(weight, PartitionedVariable)
            new_threshold, new_mask = self._update_in_blocks(weight.as_tensor() if partitioned else weight, threshold)
            self._assign_ops.append(_assign(threshold, new_threshold))
            self._assign_ops.append(_assign_parts(mask, new_mask) if partitioned else _assign(mask, new_mask))

    def mask_update_op(self) -> Operation:
        """The op that updates all masks and thresholds."""
        with name_scope(self._spec.name):
            if not self._assign_ops:
                self._add_assign_ops()
            step = assign(self._last_update_step, self._global_step, name="last_mask_update_step_assign")
            with control_dependencies([step]), control_dependencies(self._assign_ops):
                logging.info("Updating masks.")
                return no_op("mask_update")

    def conditional_mask_update_op(self) -> Tensor:
        """The op that updates them where it is time to: every `pruning_frequency` steps between begin and end."""
        spec = self._spec
        with name_scope(spec.name):
            running = logical_and(
                greater_equal(self._global_step, spec.begin_pruning_step),
                logical_or(less_equal(self._global_step, spec.end_pruning_step), less(spec.end_pruning_step, 0)),
            )
            due = less_equal(add(self._last_update_step, spec.pruning_frequency), self._global_step)
            should_update = logical_and(running, due)
        return cond(should_update, self.mask_update_op, no_op)

    def add_pruning_summaries(self) -> None:
        """Adds summaries of the sparsity, of each mask's, and of the thresholds."""
        with name_scope(f"{self._spec.name}_summaries"):
            scalar("sparsity", self._sparsity)
            scalar("last_mask_update_step", self._last_update_step)
            for mask, threshold in zip(masks.get_masks(), masks.get_thresholds(), strict=False):
                scalar(f"{mask.op.name}/sparsity", zero_fraction(mask))
                scalar(f"{threshold.op.name}/threshold", threshold)

    def print_hparams(self) -> None:
        """Logs the parameters."""
        logging.info(self._spec.to_json())


def _by_pattern(rows: Sequence[str], read: Callable[..., Any]) -> list[tuple[re.Pattern[str], Any]]:
    pairs = [row.split(":") for row in rows if row]
    return [(re.compile(pattern), read(pattern, value)) for pattern, value in pairs]


def _only(rows: list[tuple[re.Pattern[str], Any]], name: str, what: str) -> Any:
    found = [value for pattern, value in rows if pattern.search(name)]
    if len(found) > 1:
        raise ValueError(f"Multiple matches in {what} for weight {name}")
    return found[0] if found else None


def _block_dims(pattern: str, text: str) -> list[int]:
    dims = text.split("x")
    if len(dims) != 2:
        raise ValueError(f"Expected 2 values for block dim for {pattern}, got {dims}")
    return [int(dim) for dim in dims]


def _target_sparsity(_: str, text: str) -> float:
    if float(text) >= 1.0:
        raise ValueError("Weight sparsity can not exceed 1.0")
    return float(text)


def _pool_by_axis(matrix: Any, window: Sequence[int], pooling_type: str, padding: str, name: str) -> Tensor:
    """Pooling over rows and columns one after the other."""

    def along_last(images: Tensor, dim: int) -> Tensor:
        return pool(images, window_shape=[1, dim], pooling_type=pooling_type, strides=[1, dim], padding=padding)

    with name_scope(name, "factorized_pool"):
        height, width = matrix.get_shape().as_list()
        aligned = reshape(matrix, [1, 1, height, width], name=f"{matrix.op.name}_aligned")
        by_row = transpose(along_last(aligned, window[0]), perm=[0, 1, 3, 2])
        both = along_last(by_row, window[1])
    return squeeze(transpose(both, perm=[0, 1, 3, 2]), axis=[0, 1])


def expand_tensor(tensor: Tensor, block_dims: Sequence[int]) -> Tensor:
    """A matrix with each element repeated as a block.

    Args:
        tensor: a matrix of known shape.
        block_dims: height and width of the blocks.

    Raises:
        ValueError: for another rank or number of dims.
    """
    if tensor.get_shape().ndims != 2:
        raise ValueError("Input tensor must be rank 2")
    if len(block_dims) != 2:
        raise ValueError("block_dims must have 2 elements")

    def repeated(matrix: Any, times: int) -> Tensor:
        rows, columns = matrix.shape.as_list()
        places = np.arange(rows * times, dtype=np.int32).reshape(rows, times).T.reshape(-1, 1)
        return scatter_nd(constant(places), tile(matrix, [times, 1]), [rows * times, columns])

    height, width = block_dims
    expanded = repeated(tensor, height) if height > 1 else tensor
    return transpose(repeated(transpose(expanded), width)) if width > 1 else expanded


def _assign(variable: Variable, value: Tensor) -> Tensor:
    return assign(variable, value, name=f"{variable.op.name}_assign")


def _assign_parts(variable: Variable, value: Any) -> Any:
    full_shape = variable.get_shape().as_list()
    shapes = [part.get_shape().as_list() for part in variable]
    cut = [axis for axis, dim in enumerate(full_shape) if any(shape[axis] < dim for shape in shapes)]
    axis = cut[0] if cut else 0
    sizes = convert_to_tensor(np.array([shape[axis] for shape in shapes]), dtype="int32")
    values = split(value, sizes, axis=axis)
    updates = [_assign(part, new) for part, new in zip(variable, values, strict=True)]
    return group(*updates, name=f"{variable.name}_group_assign")
