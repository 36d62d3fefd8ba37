"""What is known of the program that made a GraphDef: its definitions of the ops, which may be of another version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.graph import PRODUCER_VERSION
from headrace.core.signature import Attr

if TYPE_CHECKING:
    from headrace.messages import protos


# What later versions of TensorFlow note for their own use; the results do not depend on it.
_REMARKS = frozenset((
    "metadata", "debug_name", "grad_a", "grad_b", "grad_x", "grad_y", "replicate_on_split", "force_synchronous",
    "validate_shape", "use_default_device", "is_files", "buffer_size_min",
))  # fmt: skip
# What kernels here know, under another name as it is not declared: those that begin so are open to all.
_KNOWN = frozenset(("resize_if_index_out_of_bounds",))


class Producer:
    """The op definitions that a GraphDef was made with.

    Args:
        op_list: an `OpList`, or None if nothing is known.
        version: the version of GraphDefs that it writes.

    Raises:
        AttributeError: if it is something else.
    """

    def __init__(self, op_list: int | protos.OpList | None = None, version: int = PRODUCER_VERSION) -> None:
        self.version = version
        listed = () if op_list is None else getattr(op_list, "op", None)
        if listed is None:
            raise AttributeError(f"producer_op_list must be an OpList proto, not {type(op_list).__name__}")
        self._ops = {op_def.name: op_def for op_def in listed}

    def understood(self, node: protos.NodeDef, declared: Mapping[str, Attr]) -> dict[str, Any]:
        """The attributes of a node without those that are not declared here and have the producer's defaults.

        Args:
            node: a NodeDef.
            declared: the attributes of its op type.
        """
        kept = dict(node.attr.items())
        op_def = self._ops.get(node.op)
        defaults = {} if op_def is None else {attr.name: attr for attr in op_def.attr}
        for name, value in node.attr.items():
            if name in declared or name.startswith("_"):
                continue
            attr = defaults.get(name)
            if name in _KNOWN:
                kept[f"_{name}"] = value
            if (
                name in _REMARKS
                or name in _KNOWN
                or (attr is not None and attr.HasField("default_value") and attr.default_value == value)
            ):
                del kept[name]
        return kept
