"""LSTMs with other gates: coupled gates, normalized layers and weights, groups, and a gate of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.normalization import layer_norm
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32
from headrace.functions.nn.dropout import dropout
from headrace.functions.nn.moments import l2_normalize
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.identity import stop_gradient
from headrace.ops.array.slice import slice as slice_
from headrace.ops.array.split import split
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.division import floormod
from headrace.ops.math.unary import exp, log, sigmoid, tanh
from headrace.ops.nn.bias import bias_add
from headrace.ops.random.uniform import random_uniform
from headrace.recurrent.cell_parts import (
    SizedCell,
    clipped,
    diagonals,
    gate,
    input_depth,
    sharded_variable,
    warn_of_single_state,
)
from headrace.recurrent.linear import LinearOnce, listed, make_bias, make_kernel, product, total_depth
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.initializers import constant_initializer, random_uniform_initializer, zeros_initializer
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    import torch

    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike, TensorLike


Activation = Callable[[Any], Any]


def normalized(value: Tensor, scope: str, gain: float, shift: float, dtype: DTypeLike | None = None) -> Any:
    """Layer normalization with variables `gamma` and `beta` in `scope`, which start at `gain` and `shift`."""
    shape = value.get_shape()[-1:]
    with variable_scope(scope):
        for name, start in (("gamma", gain), ("beta", shift)):
            get_variable(name, shape=shape, initializer=constant_initializer(start), dtype=dtype)
    return layer_norm(value, reuse=True, scope=scope)


class CoupledInputForgetGateLSTMCell(SizedCell):
    """An LSTM whose input gate is 1 minus its forget gate (arXiv:1503.04069), with optional peepholes and projection.

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        initializer: kept; as in 1.x the variables take the scope's initializer.
        num_proj: the size of the output when it is projected, or None.
        proj_clip: the bound that the projection is clipped to, or None.
        num_unit_shards, num_proj_shards: into how many variables the weights are split.
        forget_bias: added to the bias of the forget gate.
        state_is_tuple: whether the state is an `LSTMStateTuple` rather than one tensor.
        activation: a function.
        reuse: whether to share variables that are there.
        layer_norm: whether gates and memory are normalized.
        norm_gain, norm_shift: where the normalizations' gains and shifts start.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = tanh,
        reuse: bool | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(_reuse=reuse)
        warn_of_single_state(self, state_is_tuple)
        self._has_memory(num_units, num_proj, state_is_tuple)
        self._use_peepholes, self._initializer, self._proj_clip = use_peepholes, initializer, proj_clip
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple, self._activation = forget_bias, state_is_tuple, activation
        self._layer_norm, self._norm_gain, self._norm_shift = layer_norm, norm_gain, norm_shift

    def _normalized(self, value: Tensor, scope: str) -> Any:
        return normalized(value, scope, self._norm_gain, self._norm_shift) if self._layer_norm else value

    def call(self, inputs: Tensor, state: Any) -> tuple[Tensor, Tensor | LSTMStateTuple]:
        """One step."""
        units = self._num_units
        outputs = units if self._num_proj is None else self._num_proj
        if self._state_is_tuple:
            c_before, m_before = state
        else:
            c_before, m_before = slice_(state, [0, 0], [-1, units]), slice_(state, [0, units], [-1, outputs])
        dtype = inputs.dtype
        kernel = sharded_variable("W", [input_depth(inputs) + outputs, 3 * units], dtype, self._num_unit_shards)
        bias = get_variable("B", shape=[3 * units], initializer=zeros_initializer(), dtype=dtype)
        gates = matmul(concat([inputs, m_before], 1), kernel)
        if not self._layer_norm:
            gates = bias_add(gates, bias)
        j, f, o = split(value=gates, num_or_size_splits=3, axis=1)
        j, f, o = self._normalized(j, "transform"), self._normalized(f, "forget"), self._normalized(o, "output")
        forgetting: list[Any] = []
        if self._use_peepholes:
            of_forget, of_output = diagonals("W_F_diag W_O_diag", units, dtype)
            forgetting = [(of_forget, c_before)]
        keep = gate(f + self._forget_bias, *forgetting)
        c = self._normalized(keep * c_before + (1 - keep) * self._activation(j), "state")
        m = gate(o, *([(of_output, c)] if self._use_peepholes else [])) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, sharded_variable("W_P", [units, self._num_proj], dtype, self._num_proj_shards))
            m = clipped(m, self._proj_clip)
        return m, (LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1))


class LayerNormBasicLSTMCell(SizedCell):
    """An LSTM with layer normalization (arXiv:1607.06450) and dropout of what it remembers (arXiv:1603.05118).

    Args:
        num_units: the size of memory and output.
        forget_bias: added to the forget gate.
        input_size: not used any more.
        activation: a function.
        layer_norm: whether gates and memory are normalized; there is a bias otherwise.
        norm_gain, norm_shift: where the normalizations' gains and shifts start.
        dropout_keep_prob: the probability with which new memories are kept: a float or scalar tensor.
        dropout_prob_seed: the seed of the draws.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: int | None = None,
        activation: Activation = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf_logging.warn("%s: The input_size parameter is deprecated.", self)
        self._has_memory(num_units)
        self._activation, self._forget_bias = activation, forget_bias
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._layer_norm, self._norm_gain, self._norm_shift = layer_norm, norm_gain, norm_shift

    def _normalized(self, value: Tensor, scope: str, dtype: DTypeLike) -> Any:
        return normalized(value, scope, self._norm_gain, self._norm_shift, dtype) if self._layer_norm else value

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        c, h = state
        args, units = concat([inputs, h], 1), self._num_units
        dtype = args.dtype
        gates = matmul(args, get_variable("kernel", [args.get_shape()[-1], 4 * units], dtype=dtype))
        if not self._layer_norm:
            gates = bias_add(gates, get_variable("bias", [4 * units], dtype=dtype))
        parts = zip(split(value=gates, num_or_size_splits=4, axis=1), _GATES, strict=True)
        i, j, f, o = (self._normalized(part, name, dtype) for part, name in parts)
        new = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = dropout(new, self._keep_prob, seed=self._seed)
        new_c = self._normalized(c * sigmoid(f + self._forget_bias) + sigmoid(i) * new, "state", dtype)
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


_GATES = ("input", "transform", "forget", "output")


class LayerNormLSTMCell(SizedCell):
    """An LSTM with optional layer normalization, peepholes, clipping and projection.

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: the bound that the memory is clipped to, or None.
        initializer: for the weights.
        num_proj: the size of the output when it is projected, or None.
        proj_clip: the bound that the projection is clipped to, or None.
        forget_bias: added to the forget gate.
        activation: a function; tanh by default.
        layer_norm: whether gates and memory are normalized; a bias is added otherwise.
        norm_gain, norm_shift: where the normalizations' gains and shifts start.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1.0,
        activation: Activation | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._has_memory(num_units, num_proj)
        self._use_peepholes, self._cell_clip, self._proj_clip = use_peepholes, cell_clip, proj_clip
        self._initializer, self._forget_bias, self._activation = initializer, forget_bias, activation or tanh
        self._layer_norm, self._norm_gain, self._norm_shift = layer_norm, norm_gain, norm_shift

    def _normalized(self, value: Tensor, scope: str) -> Any:
        return normalized(value, scope, self._norm_gain, self._norm_shift) if self._layer_norm else value

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c_before, m_before = state
        input_depth(inputs)
        units, dtype = self._num_units, inputs.dtype
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            args = [inputs, m_before]
            gates = product(args, make_kernel(args, 4 * units))
            bias = make_bias(args, 4 * units)
            if not self._layer_norm:
                gates = bias_add(gates, bias)
            parts = zip(split(value=gates, num_or_size_splits=4, axis=1), _GATES, strict=True)
            i, j, f, o = (self._normalized(part, name) for part, name in parts)
            peepholes = diagonals("w_f_diag w_i_diag w_o_diag", units, dtype) if self._use_peepholes else None
            c, m = self._remember(i, j, f, o, c_before, peepholes)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    m = clipped(product([m], make_kernel([m], self._num_proj)), self._proj_clip)
        return m, LSTMStateTuple(c, m)

    def _remember(
        self, i: Tensor, j: Any, f: Any, o: Any, c_before: torch.Tensor, peepholes: list[Any] | None
    ) -> tuple[Any, Any]:
        of_forget, of_input, of_output = [[(weights, c_before)] for weights in peepholes] if peepholes else [[]] * 3
        c = gate(f + self._forget_bias, *of_forget) * c_before + gate(i, *of_input) * self._activation(j)
        c = clipped(self._normalized(c, "state"), self._cell_clip)
        return c, gate(o, *((weights, c) for weights, _ in of_output)) * self._activation(c)


class WeightNormLSTMCell(SizedCell):
    """An LSTM whose weights are normalized columns times their lengths (arXiv:1602.07868).

    Args:
        num_units: the size of the memory.
        norm: whether the weights are normalized.
        use_peepholes: whether the gates see the memory.
        cell_clip: the bound that the memory is clipped to, or None.
        initializer: for the weights.
        num_proj: the size of the output when it is projected, or None.
        proj_clip: the bound that the projection is clipped to, or None.
        forget_bias: added to the forget gate.
        activation: a function; tanh by default.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1,
        activation: Activation | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        # Its variables lie in a scope of this name inside its own, which in 1.x has the same name.
        self._scope = "wn_lstm_cell"  # type: ignore[assignment]  # a name is taken for a scope
        self._has_memory(num_units, num_proj)
        self._norm, self._use_peepholes, self._initializer = norm, use_peepholes, initializer
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._forget_bias, self._activation = forget_bias, activation or tanh

    def _product(self, args: Any, size: int) -> Any:
        items = listed(args)
        weights = make_kernel(items, size)
        if self._norm:
            parts, start = [], 0
            # What is made of variables alone does not wait for the step.
            with control_dependencies(None):
                for i, item in enumerate(items):
                    end = start + total_depth([item])
                    scale = get_variable(f"norm_{i}", [size], dtype=weights.dtype)
                    parts.append(l2_normalize(weights[start:end, :], axis=0) * scale)
                    start = end
                weights = concat(parts, axis=0)
        return product(items, weights)

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c, h = state
        input_depth(inputs)
        units, dtype = self._num_units, inputs.dtype
        with variable_scope("wn_lstm_cell", initializer=self._initializer):
            gates = bias_add(self._product([inputs, h], 4 * units), make_bias([inputs], 4 * units))
            i, j, f, o = split(value=gates, num_or_size_splits=4, axis=1)
            seen: list[Any] = [[], [], []]
            if self._use_peepholes:
                seen = [[weights] for weights in diagonals("w_f_diag w_i_diag w_o_diag", units, dtype)]
            of_forget, of_input, of_output = seen
            new_c = c * gate(f + self._forget_bias, *((weights, c) for weights in of_forget)) + gate(
                i, *((weights, c) for weights in of_input)
            ) * self._activation(j)
            new_c = clipped(new_c, self._cell_clip)
            new_h = gate(o, *((weights, new_c) for weights in of_output)) * self._activation(new_c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    new_h = clipped(self._product(new_h, self._num_proj), self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h)


class GLSTMCell(SizedCell):
    """An LSTM whose units fall into groups that do not see each other (arXiv:1703.10722).

    Args:
        num_units: the size of the memory.
        initializer: for the weights.
        num_proj: the size of the output when it is projected, or None.
        number_of_groups: how many groups.
        forget_bias: added to the forget gate.
        activation: a function.
        reuse: whether to share variables that are there.

    Raises:
        ValueError: if the sizes cannot be divided into the groups.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Activation = tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._has_memory(num_units, num_proj)
        self._initializer, self._forget_bias, self._activation = initializer, forget_bias, activation
        self._number_of_groups = number_of_groups
        for name, size in (("num_units", num_units), ("num_proj", num_proj)):
            if size and size % number_of_groups:
                raise ValueError(f"{name} must be divisible by number_of_groups")
        self._group_units = num_units // number_of_groups
        self._of_groups = [LinearOnce(4 * self._group_units, False) for _ in range(number_of_groups)]
        self._projection = LinearOnce(num_proj, False) if num_proj is not None else None

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """One step."""
        c_before, m_before = state
        batch, depth = inputs.get_shape().as_list()
        batch = batch or shape(inputs)[0]
        if depth is None:
            raise ValueError("input size must be statically known")
        groups = self._number_of_groups
        if depth % groups:
            raise ValueError(f"input size ({depth}) must be divisible by number_of_groups ({groups})")

        def of_group(number: int, values: TensorLike, width: int) -> Any:
            name = f"GLSTM_group{number}_input_generation"
            return slice_(values, begin=[0, number * width], size=[batch, width], name=name)

        with variable_scope(get_variable_scope(), initializer=self._initializer):
            parts = []
            for number, linear in enumerate(self._of_groups):
                with variable_scope(f"group{number}"):
                    own = of_group(number, inputs, depth // groups)
                    before = of_group(number, m_before, self._output_size // groups)
                    parts.append(split(linear(concat([own, before], axis=1)), 4, 1))
            gates = [self._biased(name, terms) for name, terms in zip("ijfo", zip(*parts, strict=True), strict=True)]
            i, j, f, o = (bias_add(concat(terms, axis=1), bias) for terms, bias in gates)
        c = sigmoid(f + self._forget_bias) * c_before + sigmoid(i) * tanh(j)
        m = sigmoid(o) * self._activation(c)
        if self._projection is not None:
            with variable_scope("projection"):
                m = self._projection(m)
        return m, LSTMStateTuple(c, m)

    def _biased(self, name: str, terms: tuple[Any, ...]) -> tuple[list[Any], Any]:
        dtype = terms[0].dtype
        start = constant_initializer(0.0, dtype=dtype)
        bias = get_variable(f"bias_{name}", shape=[self._num_units], dtype=dtype, initializer=start)
        return list(terms), bias


class PhasedLSTMCell(SizedCell):
    """An LSTM with a gate that opens rhythmically in time (arXiv:1610.09513); its inputs are pairs (time, inputs).

    Args:
        num_units: the size of memory and output.
        use_peepholes: whether the gates see the memory.
        leak: how much gets through a closed gate.
        ratio_on: the share of a period in which the gate is open, at first.
        trainable_ratio_on: whether that share is trained.
        period_init_min, period_init_max: the bounds between which periods start, uniform in their logarithm.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, autocast=False)
        self._has_memory(num_units)
        self._use_peepholes, self._leak = use_peepholes, leak
        self._ratio_on, self._trainable_ratio_on = ratio_on, trainable_ratio_on
        self._period_bounds = period_init_min, period_init_max
        self._mask_gates = LinearOnce(2 * num_units)
        self._new_input, self._output_gate = LinearOnce(num_units), LinearOnce(num_units)

    def _initial_period(self, shape: Sequence[int], dtype: DType = float32, partition_info: Any = None) -> Tensor:
        low, high = (log(bound) for bound in self._period_bounds)
        return exp(random_uniform(shape, low, high, dtype))

    def _openness(self, time: Any) -> Any:
        """How far the gate of each unit is open at `time`."""
        shape = [self._num_units]
        period = get_variable("period", shape, initializer=self._initial_period)
        phase = get_variable("phase", shape, initializer=random_uniform_initializer(0.0, period.initial_value))
        ratio_on = get_variable(
            "ratio_on",
            shape,
            initializer=constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        shifted, length = time - cast(phase, time.dtype), cast(period, time.dtype)
        # The remainder passes the gradient of its argument on, and has none for the length.
        place = cast((stop_gradient(floormod(shifted, length) - shifted) + shifted) / length, float32)
        rising = 2 * place / ratio_on
        falling, closed = 2 - rising, self._leak * place
        open_ = where(place < ratio_on, falling, closed)
        return where(place < 0.5 * ratio_on, rising, open_)

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """One step."""
        c_before, h_before = state
        time, x = inputs
        seen = [x, h_before]
        with variable_scope("mask_gates"):
            masks = sigmoid(self._mask_gates([*seen, c_before] if self._use_peepholes else seen))
            input_gate, forget_gate = split(axis=1, num_or_size_splits=2, value=masks)
        with variable_scope("new_input"):
            new_input = tanh(self._new_input(seen))
        new_c = c_before * forget_gate + input_gate * new_input
        with variable_scope("output_gate"):
            output_gate = sigmoid(self._output_gate([*seen, new_c] if self._use_peepholes else seen))
        new_h = tanh(new_c) * output_gate
        k = self._openness(time)
        new_c, new_h = k * new_c + (1 - k) * c_before, k * new_h + (1 - k) * h_before
        return new_h, LSTMStateTuple(new_c, new_h)
