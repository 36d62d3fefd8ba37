"""Ops on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.math.elementwise import INTEGERS, binary, checked, function_of, same_shape, unary

# The signed type of the same width: torch has few kernels for unsigned types, and most bit patterns are the same.
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def _on_bits(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*values):
        own = values[0].dtype
        signed = _SIGNED.get(own)
        if signed is None:
            return function(*values)
        return function(*[value.view(signed) for value in values]).view(own)

    return compute


def _left(x, y):
    return torch.bitwise_left_shift(x, y)


def _right(x, y):
    return torch.bitwise_right_shift(x, y)


def _shift(op_type, function, logical):
    """A shift whose distance is brought into the range of the type, for torch shifts everything out beyond it."""
    decl = binary(op_type, INTEGERS).not_differentiable()

    @decl.kernel
    def kernel(node):
        dtype = node.inputs[0].dtype
        own, signed = dtype.torch, _SIGNED.get(dtype.torch)
        last = dtype.size * 8 - 1
        if signed is None:
            return checked(node, lambda x, y: function(x, y.clamp(0, last)))

        def of_unsigned(x, y):
            # As signed numbers, distances beyond the range are negative or large; unsigned ones are all too large.
            distance = y.view(signed)
            distance = torch.where((distance < 0) | (distance > last), last, distance).to(signed)
            bits = function(x.view(signed), distance)
            if logical:
                # A shift to the right of signed numbers repeats the sign: those bits are cleared.
                kept = torch.bitwise_left_shift(torch.full_like(distance, -2), last - distance)
                bits = bits & ~kept
            return bits.view(own)

        return checked(node, of_unsigned)

    return decl


bitwise_and_op = binary("BitwiseAnd", INTEGERS, torch.bitwise_and).not_differentiable()
bitwise_or_op = binary("BitwiseOr", INTEGERS, torch.bitwise_or).not_differentiable()
bitwise_xor_op = binary("BitwiseXor", INTEGERS, torch.bitwise_xor).not_differentiable()
left_shift_op = _shift("LeftShift", _left, False)
right_shift_op = _shift("RightShift", _right, True)
invert_op = unary("Invert", INTEGERS, _on_bits(torch.bitwise_not), integers=True).not_differentiable()

population_count_op = op("PopulationCount", f"x: T, *, T: {INTEGERS} -> y: uint8").not_differentiable()
population_count_op.shape(same_shape)


@population_count_op.kernel
def population_count_kernel(node):
    # Sums of ever wider neighbours, as in Hacker's Delight, 5-1: on bytes, which are then added up.
    size = node.inputs[0].dtype.size

    def count(x):
        bits = x.contiguous().unsqueeze(-1).view(torch.uint8)
        bits = bits - ((bits >> 1) & 0x55)
        bits = (bits & 0x33) + ((bits >> 2) & 0x33)
        bits = (bits + (bits >> 4)) & 0x0F
        return bits.reshape(*x.shape, size).sum(-1, dtype=torch.uint8)

    return count

    return count


population_count_op.accepts(np.array([[0, 1, -1], [255, 256, 7]], np.int32)).accepts(np.array([3, 255], np.uint8))

bitwise_and = function_of(bitwise_and_op, "bitwise_and", "The bits set in both x and y.")
bitwise_or = function_of(bitwise_or_op, "bitwise_or", "The bits set in x or y.")
bitwise_xor = function_of(bitwise_xor_op, "bitwise_xor", "The bits set in exactly one of x and y.")
invert = function_of(invert_op, "invert", "All bits flipped.")
left_shift = function_of(
    left_shift_op, "left_shift", "x shifted left by y bits; y is brought into [0, bits - 1] first."
)
right_shift = function_of(
    right_shift_op, "right_shift", "x shifted right by y bits, signed types arithmetically; y as for `left_shift`."
)
