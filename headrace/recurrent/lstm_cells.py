"""Cells with a long short-term memory: BasicLSTMCell and LSTMCell, and the pair that is their state.

Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9 (1997); the forget gate: Gers, Schmidhuber
and Cummins, "Learning to forget", Neural Computation 12 (2000); peepholes: Gers and Schmidhuber, "Recurrent nets that
time and count", IJCNN 2000.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int32
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.constant import constant
from headrace.ops.array.slice import slice as slice_
from headrace.ops.array.split import split
from headrace.ops.math.binary import add, multiply
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.cell import LayerRNNCell, check_cell_dtype, check_cell_inputs
from headrace.recurrent.cell_arguments import activation_of, config_of, depth_of, initializer_of
from headrace.state.initializers import zeros_initializer
from headrace.state.partitioned import fixed_size_partitioner
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, InitializerLike


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM: the memory `c` and the output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The element type of both.

        Raises:
            TypeError: if they differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


class BasicLSTMCell(LayerRNNCell):
    """A long short-term memory without peepholes, clipping or projection (Zaremba et al., arXiv:1409.2329).

    Args:
        num_units: the size of memory and output.
        forget_bias: added to the bias of the forget gate.
        state_is_tuple: whether the state is an `LSTMStateTuple` rather than one tensor.
        activation: a function or its name; tanh by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_cell_dtype(self.dtype)
        if not state_is_tuple:
            _warn_of_single_state(self)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the variables `kernel` and `bias`."""
        depth = depth_of(input_shape)
        check_cell_dtype(self.dtype)
        units = self._num_units
        self._kernel = self.add_variable("kernel", shape=[depth + units, 4 * units])
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        check_cell_inputs(inputs, state)
        one = constant(1, dtype=int32)
        is_pair = self._state_is_tuple and not _is_one_tensor(state, 2 * self._num_units)
        c, h = state if is_pair else split(value=state, num_or_size_splits=2, axis=one)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=one)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))), multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, (LSTMStateTuple(new_c, new_h) if is_pair else concat([new_c, new_h], 1))

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return config_of(
            super().get_config(),
            num_units=self._num_units,
            forget_bias=self._forget_bias,
            state_is_tuple=self._state_is_tuple,
            activation=self._activation,
            reuse=self._reuse,
        )


class LSTMCell(LayerRNNCell):
    """A long short-term memory with optional peepholes, clipping and projection (Sak et al., arXiv:1402.1128).

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: the bound that the memory is clipped to, or None.
        initializer: for the weights and the projection.
        num_proj: the size of the output when it is projected, or None.
        proj_clip: the bound that the projection is clipped to, or None.
        num_unit_shards, num_proj_shards: into how many shards the variables are split.
        forget_bias: added to the bias of the forget gate.
        state_is_tuple: whether the state is an `LSTMStateTuple` rather than one tensor.
        activation: a function or its name; tanh by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_cell_dtype(self.dtype)
        if not state_is_tuple:
            _warn_of_single_state(self)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer_of(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh
        self._output_size = num_proj or num_units
        self._state_size: int | LSTMStateTuple = (
            LSTMStateTuple(num_units, self._output_size) if state_is_tuple else num_units + self._output_size
        )

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        return self._state_size

    @property
    def output_size(self) -> int:
        """The size of the projection, or the number of units."""
        return self._output_size

    def build(self, input_shape: Any) -> None:
        """Makes the variables `kernel` and `bias`, and those of peepholes and projection."""
        depth = depth_of(input_shape)
        check_cell_dtype(self.dtype)
        units = self._num_units
        outputs = units if self._num_proj is None else self._num_proj
        self._kernel = self.add_variable(
            "kernel",
            shape=[depth + outputs, 4 * units],
            initializer=self._initializer,
            partitioner=_partitioner(self._num_unit_shards),
        )
        zeros = zeros_initializer if self.dtype is None else zeros_initializer(dtype=self.dtype)
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=zeros)
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_variable(name, shape=[units], initializer=self._initializer)
                for name in ("w_f_diag", "w_i_diag", "w_o_diag")
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                "projection/kernel",
                shape=[units, self._num_proj],
                initializer=self._initializer,
                partitioner=_partitioner(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        check_cell_inputs(inputs, state)
        outputs = self._num_units if self._num_proj is None else self._num_proj
        is_pair = self._state_is_tuple and not _is_one_tensor(state, self._num_units + outputs)
        if is_pair:
            c_before, m_before = state
        else:
            c_before = slice_(state, [0, 0], [-1, self._num_units])
            m_before = slice_(state, [0, self._num_units], [-1, outputs])
        if inputs.get_shape().with_rank(2).dims[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        gates = bias_add(matmul(concat([inputs, m_before], 1), self._kernel), self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = sigmoid(f + self._forget_bias + self._w_f_diag * c_before) * c_before + sigmoid(
                i + self._w_i_diag * c_before
            ) * self._activation(j)
        else:
            c = sigmoid(f + self._forget_bias) * c_before + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, (LSTMStateTuple(c, m) if is_pair else concat([c, m], 1))

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return config_of(
            super().get_config(),
            num_units=self._num_units,
            use_peepholes=self._use_peepholes,
            cell_clip=self._cell_clip,
            initializer=self._initializer,
            num_proj=self._num_proj,
            proj_clip=self._proj_clip,
            num_unit_shards=self._num_unit_shards,
            num_proj_shards=self._num_proj_shards,
            forget_bias=self._forget_bias,
            state_is_tuple=self._state_is_tuple,
            activation=self._activation,
            reuse=self._reuse,
        )


def _partitioner(shards: int | None) -> Any:
    return None if shards is None else fixed_size_partitioner(shards)


def _is_one_tensor(state: Any, width: int) -> bool:
    """Whether a state is memory and output side by side, as programs of before 0.11 make it without telling the cell."""
    if not isinstance(state, Tensor):
        return False
    dims = state.shape.dims
    return dims is not None and len(dims) == 2 and dims[1].value == width


def _warn_of_single_state(cell: LayerRNNCell) -> None:
    tf_logging.warn(
        "%s: a state in one tensor is slower than a pair of tensors and on its way out; use state_is_tuple=True.", cell
    )
