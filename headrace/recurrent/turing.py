"""Neural Turing machines (arXiv:1410.5401, after arXiv:1807.08518): a cell that reads and writes a memory."""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import float32
from headrace.core.shapes import TensorShape
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.filling import ones, ones_like, zeros
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.reverse import reverse
from headrace.ops.array.split import split
from headrace.ops.array.tile import tile
from headrace.ops.math.binary import pow as power
from headrace.ops.math.comparison import equal
from headrace.ops.math.unary import exp, sigmoid, sqrt, square, tanh
from headrace.ops.nn.activations import softplus
from headrace.ops.nn.bias import bias_add
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.cell import LayerRNNCell, assert_like_rnn_cell
from headrace.recurrent.cell_parts import clipped
from headrace.state.initializers import constant_initializer, glorot_uniform_initializer, truncated_normal_initializer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


NTMControllerState = collections.namedtuple(
    "NTMControllerState", ("controller_state", "read_vector_list", "w_list", "M", "time")
)


class NTMCell(LayerRNNCell):
    """A controller with heads that read and write the rows of a memory.

    Args:
        controller: the cell that drives the heads.
        memory_size: how many rows the memory has.
        memory_vector_dim: the size of a row.
        read_head_num, write_head_num: how many heads read and write.
        shift_range: how far a head may move in a step.
        output_dim: the size of the output; that of the inputs by default.
        clip_value: the bound for outputs and what the controller tells the heads.
        dtype: the type of its variables.
        name: the name of its scope.
    """

    def __init__(
        self,
        controller: Any,
        memory_size: int,
        memory_vector_dim: int,
        read_head_num: int,
        write_head_num: int,
        shift_range: int = 1,
        output_dim: int | None = None,
        clip_value: float = 20,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        assert_like_rnn_cell("NTM RNN controller cell", controller)
        self.controller = controller
        self.memory_size, self.memory_vector_dim = memory_size, memory_vector_dim
        self.read_head_num, self.write_head_num = read_head_num, write_head_num
        self.shift_range, self.output_dim, self.clip_value = shift_range, output_dim, clip_value
        self.num_heads = read_head_num + write_head_num
        self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
        self.total_parameter_num = (
            self.num_parameters_per_head * self.num_heads + 2 * memory_vector_dim * write_head_num
        )

    @property
    def state_size(self) -> NTMControllerState:
        """The sizes of the controller's state, of what was read, of the heads' weights, of memory and time."""
        return NTMControllerState(
            controller_state=self.controller.state_size,
            read_vector_list=[self.memory_vector_dim] * self.read_head_num,
            w_list=[self.memory_size] * self.num_heads,
            M=TensorShape([self.memory_size * self.memory_vector_dim]),
            time=TensorShape([]),
        )

    @property
    def output_size(self) -> int | None:
        """The size of the output."""
        return self.output_dim

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables: of the heads, of the output, and of everything before the first step."""
        if self.output_dim is None:
            depth = TensorShape(inputs_shape).as_list()[1]
            if depth is None:
                raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
            self.output_dim = depth
        width, rows = self.controller.output_size, self.memory_size
        zero, uniform = constant_initializer(0.0, dtype=self.dtype), glorot_uniform_initializer()

        def matrix(name: str, inputs: int, outputs: int) -> Any:
            start = truncated_normal_initializer(stddev=1.0 / math.sqrt(inputs), dtype=float32)
            return self.add_variable(name, shape=[inputs, outputs], initializer=start)

        self._params_kernel = matrix("parameters_kernel", width, self.total_parameter_num)
        self._params_bias = self.add_variable("parameters_bias", shape=[self.total_parameter_num], initializer=zero)
        read = self.memory_vector_dim * self.read_head_num
        self._output_kernel = matrix("output_kernel", width + read, self.output_dim)
        self._output_bias = self.add_variable("output_bias", shape=[self.output_dim], initializer=zero)
        self._init_read_vectors = [
            self.add_variable(f"initial_read_vector_{i}", shape=[1, self.memory_vector_dim], initializer=uniform)
            for i in range(self.read_head_num)
        ]
        self._init_address_weights = [
            self.add_variable(f"initial_address_weights_{i}", shape=[1, rows], initializer=uniform)
            for i in range(self.num_heads)
        ]
        almost_zero = constant_initializer(1e-6, dtype=self.dtype)
        self._M = self.add_variable("memory", shape=[rows, self.memory_vector_dim], initializer=almost_zero)
        self.built = True

    def call(self, x: Tensor, prev_state: NTMControllerState) -> Any:
        """One step."""
        batch = x.get_shape().as_list()[0] or shape(x)[0]

        def at_first(first: Any, later: Any) -> Any:
            chosen = cond(equal(prev_state.time, 0), first, lambda: later)
            # A list of one comes out of a conditional as its item.
            return [chosen] if isinstance(later, list) and len(later) == 1 else chosen

        def spread(function: Any, rows: list[Any]) -> Any:
            return lambda: [_for_each(function(squeeze(matmul(ones([1, 1]), row))), batch) for row in rows]

        before = at_first(spread(tanh, self._init_read_vectors), prev_state.read_vector_list)
        controls, controller_state = self.controller(concat([x, *before], axis=1), prev_state.controller_state)
        parameters = clipped(bias_add(matmul(controls, self._params_kernel), self._params_bias), self.clip_value)
        of_heads = self.num_parameters_per_head * self.num_heads
        heads = split(parameters[:, :of_heads], self.num_heads, axis=1)
        changes = split(parameters[:, of_heads:], 2 * self.write_head_num, axis=1) if self.write_head_num else []
        weights_before = at_first(spread(softmax, self._init_address_weights), prev_state.w_list)
        memory = at_first(lambda: _for_each(self._M, batch), prev_state.M)
        weights = [self._addressed(head, memory, own) for head, own in zip(heads, weights_before, strict=True)]
        reading, writing = weights[: self.read_head_num], weights[self.read_head_num :]
        vectors = [reduce_sum(expand_dims(own, axis=2) * memory, axis=1) for own in reading]
        for i, own in enumerate(writing):
            place = expand_dims(own, axis=2)
            erased = expand_dims(sigmoid(changes[2 * i]), axis=1)
            added = expand_dims(tanh(changes[2 * i + 1]), axis=1)
            memory = memory * (ones_like(memory) - matmul(place, erased)) + matmul(place, added)
        output = bias_add(matmul(concat([controls, *vectors], axis=1), self._output_kernel), self._output_bias)
        return clipped(output, self.clip_value), NTMControllerState(
            controller_state=controller_state,
            read_vector_list=vectors,
            w_list=weights,
            M=memory,
            time=prev_state.time + 1,
        )

    def _addressed(self, controls: Any, memory: TensorLike, before: Tensor) -> Any:
        """The weights of a head: by content, blended with those before, shifted, sharpened."""
        size, shifts = self.memory_vector_dim, self.shift_range
        key = tanh(controls[:, :size])
        strength = softplus(controls[:, size])
        blend = sigmoid(controls[:, size + 1])
        shift = softmax(controls[:, size + 2 : size + 3 + 2 * shifts])
        sharpness = softplus(controls[:, -1]) + 1
        key = expand_dims(key, axis=2)
        products = matmul(memory, key)
        lengths = sqrt(reduce_sum(square(memory), axis=2, keepdims=True)) * sqrt(
            reduce_sum(square(key), axis=1, keepdims=True)
        )
        alike = squeeze(products / (lengths + 1e-8))
        alike = exp(expand_dims(strength, axis=1) * alike)
        by_content = alike / reduce_sum(alike, axis=1, keepdims=True)
        blend = expand_dims(blend, axis=1)
        blended = blend * by_content + (1 - blend) * before
        sharp = power(self._shifted(blended, shift), expand_dims(sharpness, axis=1))
        return sharp / reduce_sum(sharp, axis=1, keepdims=True)

    def _shifted(self, weights: TensorLike, shift: Tensor) -> Any:
        """The circular convolution of `weights` with the probabilities of the shifts."""
        rows, shifts = self.memory_size, self.shift_range
        batch = shift.get_shape().as_list()[0] or shape(shift)[0]
        first, still = shift[:, : shifts + 1], zeros([batch, rows - (2 * shifts + 1)])
        whole = concat([first, still, shift[:, -shifts:]], axis=1)
        twice = concat([reverse(whole, axis=[1]), reverse(whole, axis=[1])], axis=1)
        circulant = stack([twice[:, rows - i - 1 : 2 * rows - i - 1] for i in range(rows)], axis=1)
        return reduce_sum(expand_dims(weights, axis=1) * circulant, axis=2)

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> NTMControllerState:
        """The state before the first step, whose call replaces all but the controller's by the variables' values."""
        # In this order: what draws random numbers later is told by how many operations there are.
        vectors = [zeros([batch_size, self.memory_vector_dim]) for _ in range(self.read_head_num)]
        weights = [zeros([batch_size, self.memory_size]) for _ in range(self.num_heads)]
        return NTMControllerState(
            controller_state=self.controller.zero_state(batch_size, dtype),
            read_vector_list=vectors,
            w_list=weights,
            M=zeros([batch_size, self.memory_size, self.memory_vector_dim]),
            time=0,
        )


def _for_each(value: Any, batch: Any) -> Any:
    """The value once for each example of a batch."""
    if isinstance(batch, int):
        return concat([expand_dims(value, 0) for _ in range(batch)], axis=0)
    return tile(expand_dims(value, 0), [batch, *[1] * value.get_shape().ndims])
