"""Recurrent networks of several layers in one op, with all weights in one buffer (see `cudnn_layout`).

The cells are those of cuDNN, which torch has too: Appleyard, Kočiský and Blunsom, "Optimizing performance of recurrent
neural networks on GPUs", arXiv:1604.01946.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.registry import op, raw
from headrace.devices.onednn import without_onednn
from headrace.kernels.array.arguments import invalid, rank_is
from headrace.kernels.nn.cudnn_layout import Layout
from headrace.kernels.random.sampling import generator_for, is_seeded, stream_of

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_TYPES = "T: {half, float, double}"
_MODE = (
    "rnn_mode: {'rnn_relu', 'rnn_tanh', 'lstm', 'gru'} = 'lstm', "
    "input_mode: {'linear_input', 'skip_input', 'auto_select'} = 'linear_input', "
    "direction: {'unidirectional', 'bidirectional'} = 'unidirectional', dropout=0.0, seed=0, seed2=0"
)
_INPUTS = "input: T, input_h: T, input_c: T, params: T"
_OUTPUTS = "output: T, output_h: T, output_c: T"
_BACK = f"{_OUTPUTS}, output_backprop: T, output_h_backprop: T, output_c_backprop: T, reserve_space: T"
_GRADS = "input_backprop: T, input_h_backprop: T, input_c_backprop: T, params_backprop: T"
_V3 = "num_proj=0, time_major=True"

cudnn_rnn_op = op(
    "CudnnRNN", f"{_INPUTS}, *, {_TYPES}, {_MODE}, is_training=True -> {_OUTPUTS}, reserve_space: T", stateful=True
)
cudnn_rnn_v2_op = op(
    "CudnnRNNV2",
    f"{_INPUTS}, *, {_TYPES}, {_MODE}, is_training=True -> {_OUTPUTS}, reserve_space: T, host_reserved: int8",
    stateful=True,
)
cudnn_rnn_v3_op = op(
    "CudnnRNNV3",
    f"{_INPUTS}, sequence_lengths: int32, *, {_TYPES}, {_MODE}, num_proj=0, is_training=True, time_major=True "
    f"-> {_OUTPUTS}, reserve_space: T, host_reserved: int8",
    stateful=True,
).on_host("sequence_lengths")
cudnn_rnn_backprop_op = op("CudnnRNNBackprop", f"{_INPUTS}, {_BACK}, *, {_TYPES}, {_MODE} -> {_GRADS}", stateful=True)
cudnn_rnn_backprop_v2_op = op(
    "CudnnRNNBackpropV2", f"{_INPUTS}, {_BACK}, host_reserved: int8, *, {_TYPES}, {_MODE} -> {_GRADS}", stateful=True
)
cudnn_rnn_backprop_v3_op = op(
    "CudnnRNNBackpropV3",
    f"{_INPUTS}, sequence_lengths: int32, {_BACK}, host_reserved: int8, *, {_TYPES}, {_MODE}, {_V3} -> {_GRADS}",
    stateful=True,
).on_host("sequence_lengths")

_SIZES = "num_layers: int32, num_units: int32, input_size: int32"
_ON_HOST = ("num_layers", "num_units", "input_size")
cudnn_rnn_params_size_op = op(
    "CudnnRNNParamsSize", f"{_SIZES}, *, {_TYPES}, S: index, {_MODE}, num_proj=0 -> params_size: S"
).on_host(*_ON_HOST, outputs=True)
params_to_canonical_op = op(
    "CudnnRNNParamsToCanonical",
    f"{_SIZES}, params: T, *, {_TYPES}, num_params: int >= 1, {_MODE} -> weights: num_params * T, biases: num_params * T",
).on_host(*_ON_HOST)
canonical_to_params_op = op(
    "CudnnRNNCanonicalToParams",
    f"{_SIZES}, weights: num_params * T, biases: num_params * T, *, {_TYPES}, num_params: int >= 1, {_MODE} -> params: T",
).on_host(*_ON_HOST)
_COUNTS = "num_params_weights: int >= 1, num_params_biases: int >= 1"
_CANONICAL = "weights: num_params_weights * T, biases: num_params_biases * T"
params_to_canonical_v2_op = op(
    "CudnnRNNParamsToCanonicalV2", f"{_SIZES}, params: T, *, {_TYPES}, {_COUNTS}, {_MODE}, num_proj=0 -> {_CANONICAL}"
).on_host(*_ON_HOST)
canonical_to_params_v2_op = op(
    "CudnnRNNCanonicalToParamsV2", f"{_SIZES}, {_CANONICAL}, *, {_TYPES}, {_COUNTS}, {_MODE}, num_proj=0 -> params: T"
).on_host(*_ON_HOST)

# ---- sizes ----


def _layout(attrs: Mapping[str, Any], layers: int, units: int, depth: int) -> Layout:
    kind = attrs["input_mode"]
    skips = kind == "skip_input" or (kind == "auto_select" and depth == units)
    if skips and depth != units:
        raise invalid(f"CudnnRNN with skip_input needs inputs of as many values as units, got {depth} and {units}")
    directions = 2 if attrs["direction"] == "bidirectional" else 1
    projected = attrs.get("num_proj") or 0
    if projected and attrs["rnn_mode"] != "lstm":
        raise invalid(f"CudnnRNN: num_proj is for LSTMs, got rnn_mode {attrs['rnn_mode']}")
    return Layout(attrs["rnn_mode"], layers, units, depth, directions, skips, projected)


def _merged(op: OpView) -> list[Dims]:
    x, h, c = rank_is(op.inputs[0].dims, 3), rank_is(op.inputs[1].dims, 3), op.inputs[2].dims
    directions = 2 if op.attrs["direction"] == "bidirectional" else 1
    width = None if h is None or h[2] is None else h[2] * directions
    first = None if x is None else x[:2]
    output: Dims = None if first is None else (*first, width)
    return [output, h, c if op.attrs["rnn_mode"] == "lstm" else ()]


@cudnn_rnn_op.shape
def cudnn_rnn_shape(op):
    return [*_merged(op), (None,)]


@cudnn_rnn_v2_op.shape
def cudnn_rnn_v2_shape(op):
    return [*_merged(op), (None,), (None,)]


@cudnn_rnn_v3_op.shape
def cudnn_rnn_v3_shape(op):
    rank_is(op.inputs[4].dims, 1)
    return [*_merged(op), (None,), (None,)]


@cudnn_rnn_backprop_op.shape
@cudnn_rnn_backprop_v2_op.shape
@cudnn_rnn_backprop_v3_op.shape
def cudnn_rnn_backprop_shape(op):
    return [tensor.dims for tensor in op.inputs[:4]]


@cudnn_rnn_params_size_op.shape
def cudnn_rnn_params_size_shape(_):
    return [(1,)]


@params_to_canonical_op.shape
@params_to_canonical_v2_op.shape
def params_to_canonical_shape(op):
    biases = op.attrs.get("num_params") or op.attrs["num_params_biases"]
    return [None] * (len(op.outputs) - biases) + [(None,)] * biases


@canonical_to_params_op.shape
@canonical_to_params_v2_op.shape
def canonical_to_params_shape(_):
    return [(None,)]


@cudnn_rnn_params_size_op.kernel
def cudnn_rnn_params_size_kernel(node):
    attrs, kind = node.attrs, node.outputs[0].dtype.torch

    def size(layers, units, depth):
        return torch.tensor([_layout(attrs, int(layers), int(units), int(depth)).size], dtype=kind)

    return size


@params_to_canonical_op.kernel
@params_to_canonical_v2_op.kernel
def params_to_canonical_kernel(node):
    attrs, count = node.attrs, len(node.outputs)

    def canonical(layers, units, depth, params):
        layout = _layout(attrs, int(layers), int(units), int(depth))
        if params.numel() != layout.size:
            raise invalid(f"CudnnRNN: the buffer must hold {layout.size} numbers, got {params.numel()}")
        weights, biases = layout.canonical(params.reshape(-1))
        if len(weights) + len(biases) != count:
            raise invalid(f"CudnnRNN: there are {len(weights)} weights and {len(biases)} biases, asked for {count}")
        return tuple(part.clone() for part in (*weights, *biases))

    return canonical


@canonical_to_params_op.kernel
@canonical_to_params_v2_op.kernel
def canonical_to_params_kernel(node):
    attrs = node.attrs

    def buffer(layers, units, depth, *parts):
        layout = _layout(attrs, int(layers), int(units), int(depth))
        shapes = [*layout.weight_shapes, *[(layout.units,)] * layout.bias_count]
        if len(parts) != len(shapes):
            raise invalid(f"CudnnRNN: expected {len(shapes)} weights and biases, got {len(parts)}")
        kept = []
        for part, shape in zip(parts, shapes, strict=True):
            if shape[0] == 0:
                continue  # what multiplies inputs that are taken as they are
            if part.numel() != torch.Size(shape).numel():
                raise invalid(f"CudnnRNN: expected weights of shape {list(shape)}, got {list(part.shape)}")
            kept.append(part.reshape(-1))
        return torch.cat(kept)

    return buffer


# ---- running ----

_RUNS = {"rnn_relu": torch.rnn_relu, "rnn_tanh": torch.rnn_tanh, "gru": torch.gru}


class _Network:
    """A node's network: what turns inputs, states and the buffer into outputs and states."""

    def __init__(self, node: Any) -> None:
        self.attrs = node.attrs
        self.mode = node.attrs["rnn_mode"]
        self.bidirectional = node.attrs["direction"] == "bidirectional"
        self.time_major = node.attrs.get("time_major", True)
        self.dropout = node.attrs["dropout"]
        self.projects = bool(node.attrs.get("num_proj"))

    def run(
        self,
        x: torch.Tensor,
        h: torch.Tensor,
        c: torch.Tensor,
        params: torch.Tensor,
        lengths: torch.Tensor | None,
        seed: int | None,
    ) -> tuple[Any, Any, Any]:
        """Outputs and states; `seed` is that of the masks between layers, None for none."""
        if not self.time_major:
            x, h = x.transpose(0, 1), h.transpose(0, 1)
            c = c.transpose(0, 1) if self.mode == "lstm" else c
        steps, batch, depth = x.shape
        directions = 2 if self.bidirectional else 1
        units = c.shape[2] if self.mode == "lstm" else h.shape[2]
        if h.shape[0] % directions or h.shape[1] != batch:
            raise invalid(f"CudnnRNN: input_h of shape {list(h.shape)} does not fit input {list(x.shape)}")
        if self.mode == "lstm" and (c.dim() != 3 or c.shape[:2] != h.shape[:2]):
            raise invalid(f"CudnnRNN: input_c of shape {list(c.shape)} does not fit input_h {list(h.shape)}")
        layout = _layout(self.attrs, h.shape[0] // directions, units, depth)
        if params.numel() != layout.size:
            raise invalid(f"CudnnRNN: the buffer must hold {layout.size} numbers, got {params.numel()}")
        weights = layout.per_layer(params.reshape(-1))
        packing = _Packing.of(lengths, steps, batch)
        data = x if packing is None else packing.pack(x)
        h, c = (value if packing is None or value.dim() != 3 else value[:, packing.order] for value in (h, c))
        generator = None
        if seed is not None:
            generator = torch.Generator(device=x.device)
            generator.manual_seed(seed)
        final_h, final_c = [], []
        for layer in range(layout.layers):
            if layer and generator is not None:
                mask = torch.rand(data.shape, generator=generator, device=x.device) >= self.dropout
                data = data * mask.to(data.dtype) / (1.0 - self.dropout)
            span = slice(layer * directions, (layer + 1) * directions)
            own = [part for number in range(span.start, span.stop) for part in weights[number]]
            state: torch.Tensor | tuple[torch.Tensor, torch.Tensor] = (
                (h[span].contiguous(), c[span].contiguous()) if self.mode == "lstm" else h[span].contiguous()
            )
            data, *new = self._layer(data, state, own, packing)
            final_h.append(new[0])
            final_c += new[1:]
        h, c = torch.cat(final_h), torch.cat(final_c) if final_c else x.new_zeros(())
        if packing is not None:
            data = packing.unpack(data)
            h, c = h[:, packing.back], c[:, packing.back] if final_c else c
        if not self.time_major:
            data, h = data.transpose(0, 1), h.transpose(0, 1)
            c = c.transpose(0, 1) if final_c else c
        return data, h, c

    def _layer(
        self,
        data: torch.Tensor,
        state: torch.Tensor | Sequence[torch.Tensor],
        weights: list[Any],
        packing: _Packing | None,
    ) -> Sequence[Any]:
        settings = (weights, True, 1, 0.0, False, self.bidirectional)
        run = torch.lstm if self.mode == "lstm" else _RUNS[self.mode]
        # It has no projections, and torch warns each time that it cannot use it.
        with without_onednn() if self.projects else contextlib.nullcontext():
            if packing is None:
                return run(data, state, *settings, False)
            return run(data, packing.batch_sizes, state, *settings)


class _Packing:
    """Sequences of different lengths one step after the other, each step without those that have ended."""

    def __init__(self, lengths: torch.Tensor, steps: int) -> None:
        self.steps = steps
        self.order = torch.argsort(lengths, descending=True, stable=True)
        self.back = torch.argsort(self.order)
        self.batch_sizes = (lengths.unsqueeze(0) > torch.arange(steps).unsqueeze(1)).sum(1)
        self.batch_sizes = self.batch_sizes[self.batch_sizes > 0]
        self.inside = lengths[self.order].unsqueeze(0) > torch.arange(steps).unsqueeze(1)

    @classmethod
    def of(cls, lengths: torch.Tensor | None, steps: int, batch: int) -> _Packing | None:
        """What sequences of these lengths need; None where all are whole."""
        if lengths is None:
            return None
        if lengths.numel() != batch or bool((lengths < 1).any()) or bool((lengths > steps).any()):
            raise invalid(
                f"CudnnRNN: sequence_lengths must be {batch} numbers from 1 to {steps}, got {lengths.tolist()}"
            )
        return None if bool((lengths == steps).all()) else cls(lengths.long(), steps)

    def pack(self, x: torch.Tensor) -> torch.Tensor:
        """The values of a padded tensor [time, batch, …]."""
        return x[:, self.order][self.inside.to(x.device)]

    def unpack(self, data: torch.Tensor) -> torch.Tensor:
        """Values padded with zeros again, in the order of the batch."""
        padded = data.new_zeros(self.steps, self.order.numel(), *data.shape[1:])
        padded = padded.masked_scatter(self.inside.to(data.device).unsqueeze(-1), data)
        return padded[:, self.back]


# Seeds of the masks go through `reserve_space`, whose type may be no wider than half precision.
_DIGIT = 1024


def _in_digits(seed: int) -> list[int]:
    return [seed % _DIGIT, seed // _DIGIT % _DIGIT, seed // _DIGIT**2 % _DIGIT]


def _forward(node: NodeView, extra: int) -> Callable[..., Any]:
    network, drops = _Network(node), node.attrs["dropout"] > 0 and node.attrs["is_training"]
    stream = stream_of(node) if drops and is_seeded(node) else None

    def draw() -> int:
        if stream is not None:
            return int(stream.uniform((1,), "float64")[0] * _DIGIT**3)
        return int(torch.randint(_DIGIT**3, (), generator=generator_for(torch.device("cpu"))))

    def run(x, h, c, params, lengths=None):
        seed = draw() if drops else None
        reserved = params.new_tensor([] if seed is None else _in_digits(seed))
        outputs = network.run(x, h, c, params, lengths, seed)
        return (*outputs, reserved, *[torch.empty(0, dtype=torch.int8)] * extra)

    return run


@cudnn_rnn_op.kernel
def cudnn_rnn_kernel(node):
    return _forward(node, 0)


@cudnn_rnn_v2_op.kernel
@cudnn_rnn_v3_op.kernel
def cudnn_rnn_v2_kernel(node):
    return _forward(node, 1)


@contextlib.contextmanager
def _recording() -> Iterator[None]:
    with torch.inference_mode(False), torch.enable_grad():
        yield


def _backward(node: NodeView, has_lengths: bool) -> Callable[..., Any]:
    network = _Network(node)

    def run(x, h, c, params, *rest):
        lengths, rest = (rest[0], rest[1:]) if has_lengths else (None, rest)
        grads, reserved = rest[3:6], rest[6]
        seed = None
        if reserved.numel():
            seed = sum(int(digit) * _DIGIT**place for place, digit in enumerate(reserved.tolist()))
        with _recording():
            # The steps in between are not kept from forward to backward; they are computed once more.
            given = [value.clone().requires_grad_() for value in (x, h, c, params)]
            outputs = network.run(*given, lengths, seed)
            pairs = list(zip(outputs, (grad.clone() for grad in grads), strict=True))
            pairs = pairs if network.mode == "lstm" else pairs[:2]
            inputs = given if network.mode == "lstm" else [given[0], given[1], given[3]]
            found = list(torch.autograd.grad([value for value, _ in pairs], inputs, [grad for _, grad in pairs]))
        if network.mode != "lstm":
            found.insert(2, torch.zeros_like(c))
        return tuple(grad.detach() for grad in found)

    return run


@cudnn_rnn_backprop_op.kernel
@cudnn_rnn_backprop_v2_op.kernel
def cudnn_rnn_backprop_kernel(node):
    return _backward(node, False)


@cudnn_rnn_backprop_v3_op.kernel
def cudnn_rnn_backprop_v3_kernel(node):
    return _backward(node, True)


def _gradient(op: OpView, grads: Sequence[Any]) -> list[Any]:
    if not op.attrs["is_training"]:
        raise ValueError(f"To use {op.type} in gradients, is_training must be set to True.")
    names = ("rnn_mode", "input_mode", "direction", "dropout", "seed", "seed2", "num_proj", "time_major")
    settings = {name: op.attrs[name] for name in names if name in op.attrs}
    backprop = getattr(raw, op.type.replace("CudnnRNN", "CudnnRNNBackprop"))
    inputs, outputs = list(op.inputs), list(op.outputs)
    return list(backprop(*inputs, *outputs[:3], *grads[:3], *outputs[3:], **settings))


@cudnn_rnn_op.gradient
@cudnn_rnn_v2_op.gradient
def cudnn_rnn_gradient(op, *grads):
    return _gradient(op, grads)


@cudnn_rnn_v3_op.gradient
def cudnn_rnn_v3_gradient(op, *grads):
    found = _gradient(op, grads)
    return [*found, None]


# An LSTM of one layer: three steps of two sequences, two units.
_on_gpus = {"differs": "1.15 has this on GPUs only"}
_states = [1, 2, 2]
_network = ([3, 2, 2], _states, _states, [48])
_results = ([3, 2, 2], _states, _states)
_lengths = np.array([3, 2], np.int32)
for _decl, _more in ((cudnn_rnn_op, ()), (cudnn_rnn_v2_op, ()), (cudnn_rnn_v3_op, (_lengths,))):
    _decl.accepts(*_network, *_more, **_on_gpus)
    _decl.accepts(*_network[:3], [12], *_more, rnn_mode="rnn_tanh", **_on_gpus)
    _decl.rejects([2, 2], *_network[1:], *_more, error=ValueError, **_on_gpus)
_reserved: tuple[np.ndarray, ...] = (np.zeros(0, np.float32), np.zeros(0, np.int8))
cudnn_rnn_backprop_op.accepts(*_network, *_results * 2, _reserved[0], **_on_gpus)
cudnn_rnn_backprop_v2_op.accepts(*_network, *_results * 2, *_reserved, **_on_gpus)
cudnn_rnn_backprop_v3_op.accepts(*_network, _lengths, *_results * 2, *_reserved, **_on_gpus)

_one_layer = (np.int32(1), np.int32(2), np.int32(2))
cudnn_rnn_params_size_op.accepts(*_one_layer, T="float32", S="int32", **_on_gpus)
_parts: tuple[list[list[int]], ...] = ([[2, 2]] * 8, [[2]] * 8)
params_to_canonical_op.accepts(*_one_layer, [48], num_params=8, **_on_gpus)
canonical_to_params_op.accepts(*_one_layer, *_parts, num_params=8, **_on_gpus)
_counts = {"num_params_weights": 8, "num_params_biases": 8}
params_to_canonical_v2_op.accepts(*_one_layer, [48], **_counts, **_on_gpus)
canonical_to_params_v2_op.accepts(*_one_layer, *_parts, **_counts, **_on_gpus)
