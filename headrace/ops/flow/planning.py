"""What stands in plans for what no operation of the graph says: a value that is fed, a reference read, a copy elsewhere,
tensors that are put side by side."""

from __future__ import annotations

import torch

from headrace.core.native import applied, handed_on
from headrace.core.registry import op

feed = op("_Feed", "*, dtype: type -> output: dtype", stateful=True).no_side_effects()


@feed.kernel
def feed_kernel(node):
    return None


read_ref = op("_ReadRef", "ref: ref T, *, T: type -> value: T").reads("ref").is_value().aliases().passes_handle()
read_ref.native(handed_on)


@read_ref.kernel
def read_ref_kernel(node):
    return _read


def _read(buffer):
    return buffer.read()


transfer = op("_Transfer", "x: T, *, T: type -> y: T")


@transfer.kernel
def transfer_kernel(node):
    device = node.device
    if device.type == "cpu":
        return lambda x: x.to(device)
    # Kernels of one stream run in order, so the copy need not be waited for here.
    return lambda x: x.to(device, non_blocking=True)


concat = op("_Concat", "values: N * T, *, N: int >= 1, axis: int -> output: T").never_fails().not_differentiable()
concat.fresh()


@concat.kernel
def concat_kernel(node):
    """Tensors one behind the other along an axis."""
    cat, axis = torch.cat, node.attrs["axis"]
    return lambda *values: cat(values, axis)


native_region = op("_NativeRegion", "input: *T, *, T: list(type), U: list(type) -> output: *U", stateful=True)


@native_region.kernel
def native_region_kernel(node):
    """The program of the region, or its nodes one by one: see `plan.region_kernel`."""
    return node.notes["native"].kernel()


for _decl in (feed, read_ref, transfer, concat, native_region):
    _decl.no_case("Only plans have it, where no operation of the graph says so.")

concat.native(lambda node: applied("concat", [node.attrs["axis"]]))
