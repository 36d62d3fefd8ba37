"""Which op types have kernels, as messages."""

from __future__ import annotations

from typing import Any

from headrace.core.registry import OpDecl, find_public, raw
from headrace.messages import protos


def get_all_registered_kernels() -> Any:
    """The kernels of all op types.

    Returns:
        a `KernelList` message with a kernel for each op type; `get_registered_kernels_for_op` tells what is in one.

    Example:
        >>> len(get_all_registered_kernels().kernel) > 500
        True
    """
    return _listed([find_public(op_type) for op_type in sorted(dir(raw))])


def get_registered_kernels_for_op(name: str) -> Any:
    """The kernels of one op type.

    Args:
        name: the type.

    Returns:
        a `KernelList` message: one kernel where the type computes something, with the types that its attributes are
        restricted to. Kernels serve all devices, and all of these types at once; so there is never more than one.

    Example:
        >>> get_registered_kernels_for_op("MatMul").kernel[0].op
        'MatMul'
    """
    return _listed([find_public(name)])


def _listed(decls: list[OpDecl | None]) -> Any:
    found = protos.KernelList()
    for decl in decls:
        if decl is None or (decl.kernel_rule is None and not decl.device_kernels and decl.binding_rule is None):
            continue
        kernel = found.kernel.add(op=decl.type, device_type="CPU")
        for attr in decl.signature.attrs.values():
            if attr.kind == "type" and attr.allowed is not None:
                kernel.constraint.add(name=attr.name).allowed_values.list.type.extend(
                    sorted(dtype.as_datatype_enum for dtype in attr.allowed)
                )
    return found
