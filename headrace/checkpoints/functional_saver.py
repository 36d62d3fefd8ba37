"""Savers over a list of saveable objects, for whoever puts the operations of saving into a graph of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject
from headrace.core.defaults import device, get_default_graph
from headrace.core.dtypes import string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class SingleDeviceSaver:
    """Writes and reads the tensors of saveable objects in one file.

    Args:
        saveable_objects: the objects.

    Raises:
        ValueError: if one is no `SaveableObject`.
    """

    def __init__(self, saveable_objects: Iterable[SaveableObject]) -> None:
        saveable_objects = list(saveable_objects)
        for item in saveable_objects:
            if not isinstance(item, SaveableObject):
                raise ValueError(f"Expected a list of SaveableObjects, got {item}.")
        self._saveable_objects = saveable_objects

    def save(self, file_prefix: TensorLike) -> Any:
        """The operation that writes a checkpoint.

        Args:
            file_prefix: its path, a string or a tensor of one.
        """
        specs = [spec for saveable in self._saveable_objects for spec in saveable.specs]
        with device("/cpu:0"):
            return raw.SaveV2(
                file_prefix,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [spec.tensor for spec in specs],
            )

    def restore(self, file_prefix: Any) -> dict[str, Any]:
        """The operations that take the values of a checkpoint, by the names of the objects."""
        specs = [spec for saveable in self._saveable_objects for spec in saveable.specs]
        if not specs:
            return {}
        with device("/cpu:0"):
            tensors = raw.RestoreV2(
                file_prefix,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                dtypes=[spec.dtype.base_dtype for spec in specs],
            )
        made, first = {}, 0
        for saveable in self._saveable_objects:
            after = first + len(saveable.specs)
            made[saveable.name] = saveable.restore(tensors[first:after], None)
            first = after
        return made


class MultiDeviceSaver(SingleDeviceSaver):
    """The same for objects on several devices; all are of this machine, so that one file holds them."""

    def to_proto(self) -> Any:
        """A `SaverDef` for operations of saving and restoring, which are added to the default graph."""
        filename = raw.Placeholder(dtype=string, shape=(), name="saver_filename")
        graph = get_default_graph()
        with graph.control_dependencies([self.save(filename)]):
            saved: Tensor = raw.Identity(filename)
        with graph.control_dependencies(list(self.restore(filename).values())):
            restored: Tensor = raw.Identity(filename)
        return protos.SaverDef(
            filename_tensor_name=filename.name,
            save_tensor_name=saved.name,
            restore_op_name=restored.op.name,
            version=protos.SaverDef.V2,
        )


def sharded_filename(filename_tensor: TensorLike, shard: TensorLike, num_shards: TensorLike) -> Tensor:
    """The path of one of the files of a checkpoint."""
    name: Tensor = raw.ShardedFilename(filename_tensor, shard, num_shards)
    return name


__all__ = ["MultiDeviceSaver", "SingleDeviceSaver", "sharded_filename"]
