"""LSTMs that run over frequencies as well as over time: TimeFreqLSTMCell, GridLSTMCell, BidirectionalGridLSTMCell.

Inputs are cut into overlapping windows of frequencies, and at each step of time the cell runs over them.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.pad import pad
from headrace.ops.array.slice import slice as slice_
from headrace.ops.array.split import split
from headrace.ops.math.unary import tanh
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.cell_parts import (
    SizedCell,
    clipped,
    diagonals,
    gate,
    sharded_variable,
    warn_of_single_state,
)
from headrace.state.initializers import zeros_initializer
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike, TensorLike
    from headrace.state.variables import Variable


def _known_depth(inputs: Any) -> int:
    depth = inputs.get_shape().with_rank(2).as_list()[-1]
    if depth is None:
        raise ValueError("Cannot infer input_size from static shape inference.")
    return depth


def _zero_bias(name: str, size: int, dtype: DTypeLike) -> Variable:
    return get_variable(name, shape=[size], initializer=zeros_initializer(), dtype=dtype)


class TimeFreqLSTMCell(SizedCell):
    """An LSTM over time and frequency (arXiv:1602.07291): each window sees the output of the one below.

    Args:
        num_units: the size of memory and output of a window.
        use_peepholes: whether the gates see the memory.
        cell_clip: the bound that the memory is clipped to, or None.
        initializer: kept; as in 1.x the variables take the scope's initializer.
        num_unit_shards: into how many variables the weights are split.
        forget_bias: added to the forget gate.
        feature_size: the width of a window.
        frequency_skip: the distance from one window to the next.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: int = 1,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._has_units(num_units)
        self._state_size = 2 * num_units
        self._use_peepholes, self._cell_clip = use_peepholes, cell_clip
        self._initializer, self._num_unit_shards, self._forget_bias = initializer, num_unit_shards, forget_bias
        self._feature_size, self._frequency_skip = feature_size, frequency_skip

    def call(self, inputs: Any, state: object) -> Any:
        """One step of time: all windows."""
        units, dtype, width = self._num_units, inputs.dtype, self._feature_size
        count = int((_known_depth(inputs) - width) / self._frequency_skip) + 1
        windows = [slice_(inputs, [0, i * self._frequency_skip], [-1, width]) for i in range(count)]
        depth = _known_depth(windows[0])
        kernel = sharded_variable("W", [depth + 2 * units, 4 * units], dtype, self._num_unit_shards)
        bias = _zero_bias("B", 4 * units, dtype)
        seen: list[Any] = []
        if self._use_peepholes:
            seen = diagonals("W_F_diag W_I_diag W_O_diag", units, dtype)
        below = zeros([inputs.get_shape().as_list()[0] or shape(inputs)[0], units], dtype)
        states: Tensor | None = None
        outputs: Tensor | None = None
        for i, window in enumerate(windows):
            c_before = slice_(state, [0, 2 * i * units], [-1, units])
            m_before = slice_(state, [0, (2 * i + 1) * units], [-1, units])
            gates = bias_add(matmul(concat([window, m_before, below], 1), kernel), bias)
            i_, j, f, o = split(value=gates, num_or_size_splits=4, axis=1)
            of_forget, of_input, of_output = [[weights] for weights in seen] if seen else ([], [], [])
            c = gate(f + self._forget_bias, *((w, c_before) for w in of_forget)) * c_before
            c = clipped(c + gate(i_, *((w, c_before) for w in of_input)) * tanh(j), self._cell_clip)
            below = gate(o, *((w, c) for w in of_output)) * tanh(c)
            states = concat([c, below] if states is None else [states, c, below], 1)
            outputs = below if outputs is None else concat([outputs, below], 1)
        return outputs, states


class GridLSTMCell(SizedCell):
    """A grid LSTM over time and frequency (arXiv:1507.01526), with weights of its own for each block of frequencies.

    Args:
        num_units: the size of memory and output of a window.
        use_peepholes: whether the gates see the memories.
        share_time_frequency_weights: whether time and frequency share weights.
        cell_clip: the bound that the memories are clipped to, or None.
        initializer: kept; as in 1.x the variables take the scope's initializer.
        num_unit_shards: into how many variables the weights are split.
        forget_bias: added to the forget gates.
        feature_size: the width of a window.
        frequency_skip: the distance from one window to the next.
        num_frequency_blocks: a list with the number of windows of each block.
        start_freqindex_list, end_freqindex_list: where the blocks start and end; one block of all by default.
        couple_input_forget_gates: whether the forget gates are 1 minus the input gates.
        state_is_tuple: whether the state is a tuple of all windows' memories and outputs rather than one tensor.
        reuse: whether to share variables that are there.

    Raises:
        ValueError: without the number of windows, or where it does not fit the inputs.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        warn_of_single_state(self, state_is_tuple)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates, self._state_is_tuple = couple_input_forget_gates, state_is_tuple
        self._cell_clip, self._initializer = cell_clip, initializer
        self._num_unit_shards, self._forget_bias = num_unit_shards, forget_bias
        self._feature_size, self._frequency_skip = feature_size, frequency_skip
        self._start_freqindex_list, self._end_freqindex_list = start_freqindex_list, end_freqindex_list
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_frequency_blocks = num_frequency_blocks
        self._total_blocks = sum(int(count) for count in num_frequency_blocks)
        self._output_size = num_units * self._total_blocks * 2
        self._state_tuple_type: Any = None
        if state_is_tuple:
            self._name_states("GridLSTMStateTuple", ["state"])
        else:
            self._state_size = self._output_size

    def _name_states(self, name: str, prefixes: list[str]) -> None:
        """Makes the type of the state: a memory and an output for each window of each prefix."""
        windows = [
            _window_name(prefix, i, block)
            for prefix in prefixes
            for block, count in enumerate(self._num_frequency_blocks)
            for i in range(count)
        ]
        fields = [f"{window}_{part}" for window in windows for part in "cm"]
        self._state_tuple_type = collections.namedtuple(name, fields)  # type: ignore[misc]  # fields that only the program knows
        self._state_size = self._state_tuple_type(*[self._num_units] * len(fields))

    @property
    def state_tuple_type(self) -> Any:
        """The type of the state, None where it is one tensor."""
        return self._state_tuple_type

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step of time: all windows of all blocks."""
        outputs, states = self._run(self._windows(inputs), state, _batch_of(inputs), "state")
        return concat(outputs, 1), (self._state_tuple_type(*states) if self._state_is_tuple else concat(states, 1))

    def _run(self, blocks: list[list[Any]], state: Tensor, batch: Any, prefix: str) -> tuple[list[Any], list[Any]]:
        outputs: list[Any] = []
        states: list[Any] = []
        for block, windows in enumerate(blocks):
            of_block = self._run_block(windows, block, state, batch, prefix)
            outputs += of_block[0]
            states += of_block[1]
        return outputs, states

    def _run_block(
        self, windows: list[Any], block: int, state: TensorLike, batch: Any, prefix: str
    ) -> tuple[list[Any], list[Any]]:
        """One step over the windows of a block: the outputs in time and frequency, and the states."""
        units, dtype, shared = self._num_units, windows[0].dtype, self._share_time_frequency_weights
        gates = 3 if self._couple_input_forget_gates else 4
        depth = _known_depth(windows[0])

        def weights(axis: str) -> tuple[Any, Any]:
            sizes = [depth + 2 * units, gates * units]
            kernel = sharded_variable(f"W_{axis}_{block}", sizes, dtype, self._num_unit_shards)
            return kernel, _zero_bias(f"B_{axis}_{block}", gates * units, dtype)

        of_frequency = weights("f")
        of_time = of_frequency if shared else weights("t")
        frequency_holes = self._peepholes("freq", block, dtype)
        time_holes = frequency_holes if shared else self._peepholes("time", block, dtype)
        m_below = zeros([batch, units], dtype)
        c_below = zeros([batch, units], dtype)
        outputs, states = [], []
        for i, window in enumerate(windows):
            if self._state_is_tuple:
                name = _window_name(prefix, i, block)
                c_before, m_before = getattr(state, f"{name}_c"), getattr(state, f"{name}_m")
            else:
                c_before = slice_(state, [0, 2 * i * units], [-1, units])
                m_before = slice_(state, [0, (2 * i + 1) * units], [-1, units])
            args = concat([window, m_before, m_below], 1)
            parts = split(
                value=bias_add(matmul(args, of_frequency[0]), of_frequency[1]), num_or_size_splits=gates, axis=1
            )
            time_parts = parts
            if not shared:
                time_parts = split(
                    value=bias_add(matmul(args, of_time[0]), of_time[1]), num_or_size_splits=gates, axis=1
                )
            before = (c_below, c_before)
            c_frequency = self._memory(parts, frequency_holes, before, c_below)
            c_time = self._memory(time_parts, time_holes, before, c_before)
            after = (c_frequency, c_time)
            m_below = gate(parts[-1], *_seen(frequency_holes, "O", after)) * tanh(c_frequency)
            m_time = gate(time_parts[-1], *_seen(time_holes, "O", after)) * tanh(c_time)
            c_below = c_frequency
            states += [c_time, m_time]
            outputs += [m_time, m_below]
        return outputs, states

    def _peepholes(self, axis: str, block: int, dtype: DTypeLike) -> dict[str, list[Any]]:
        """The weights with which the gates see the memories in frequency and in time."""
        if not self._use_peepholes:
            return {}
        letters = "IO" if self._couple_input_forget_gates else "FIO"
        return {
            letter: diagonals(
                f"W_{letter}_diag_{axis}f_{block} W_{letter}_diag_{axis}t_{block}", self._num_units, dtype
            )
            for letter in letters
        }

    def _memory(self, parts: list[Any], holes: dict[str, list[Any]], seen: tuple[Any, Any], old: Any) -> Any:
        """The new memory of an axis."""
        admit = gate(parts[0], *_seen(holes, "I", seen))
        if self._couple_input_forget_gates:
            keep = 1.0 - admit
        else:
            keep = gate(parts[2] + self._forget_bias, *_seen(holes, "F", seen))
        return clipped(keep * old + admit * tanh(parts[1]), self._cell_clip)

    def _windows(self, inputs: TensorLike, slice_offset: int = 0) -> list[list[Any]]:
        """The windows of each block; with an offset they start so much later, after zeros where it is negative."""
        depth = _known_depth(inputs)
        if slice_offset:
            before, after = max(-slice_offset, 0), max(slice_offset, 0)
            inputs = pad(inputs, constant([[0, 0], [before, after]]), "CONSTANT")
            slice_offset = after
        counts, starts, ends = self._num_frequency_blocks, self._start_freqindex_list, self._end_freqindex_list
        if not starts:
            if len(counts) != 1:
                raise ValueError(f"Length of num_frequency_blocks is not 1, but instead is {len(counts)}")
            starts, ends = [0], [depth]
        if len(starts) != len(ends):
            raise ValueError(f"Length of start and end freqindex_list does not match {len(starts)} {len(ends)}")
        if len(counts) != len(starts):
            raise ValueError(
                f"Length of num_frequency_blocks is not equal to start_freqindex_list {len(counts)} {len(starts)}"
            )
        blocks = []
        for count, start, end in zip(counts, starts, ends, strict=True):
            fitting = int((end - start - self._feature_size) / self._frequency_skip) + 1
            if fitting != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {count} but gets {fitting}, please check the input size and "
                    "filter config are correct."
                )
            first = start + slice_offset
            places = [first + i * self._frequency_skip for i in range(count)]
            blocks.append([slice_(inputs, [0, place], [-1, self._feature_size]) for place in places])
        return blocks


def _batch_of(inputs: Any) -> Any:
    return inputs.get_shape().as_list()[0] or shape(inputs)[0]


def _window_name(prefix: str, number: int, block: int) -> str:
    return f"{prefix}_f{number:02d}_b{block:02d}"


def _seen(holes: dict[str, list[Any]], letter: str, memories: tuple[Any, Any]) -> Any:
    return zip(holes[letter], memories, strict=True) if holes else ()


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A grid LSTM that runs over the frequencies both upwards and downwards.

    Args:
        backward_slice_offset: how much later the windows of the way down start.
        num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer, num_unit_shards, forget_bias,
            feature_size, frequency_skip, num_frequency_blocks, start_freqindex_list, end_freqindex_list,
            couple_input_forget_gates, reuse: as for `GridLSTMCell`.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)
        self._name_states("BidirectionalGridLSTMStateTuple", ["fwd_state", "bwd_state"])
        self._output_size *= 2

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step of time, over all windows in both directions."""
        batch, upwards = _batch_of(inputs), self._windows(inputs)
        offset = self._backward_slice_offset
        downwards = self._windows(inputs, offset) if offset else upwards
        with variable_scope("fwd"):
            outputs, states = self._run(upwards, state, batch, "fwd_state")
        with variable_scope("bwd"):
            reversed_windows = [windows[::-1] for windows in downwards]
            others = self._run(reversed_windows, state, batch, "bwd_state")
        return concat(outputs + others[0], 1), self._state_tuple_type(*states, *others[1])
