"""Savers over a list of saveable objects, for whoever puts the operations of saving into a graph of their own."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import NoRestoreSaveable, SaveableObject, on_cpu
from headrace.core.defaults import control_dependencies, device, get_default_graph
from headrace.core.dtypes import string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.ops.string.joining import string_join

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


class MultiDeviceSaver:
    """The same for objects on several devices: a checkpoint has a file for each device, as an object names it.

    Args:
        saveable_objects: the objects.

    Raises:
        ValueError: if one is no `SaveableObject`.
    """

    def __init__(self, saveable_objects: Iterable[SaveableObject]) -> None:
        by_device: dict[str, list[SaveableObject]] = {}
        for item in saveable_objects:
            if not isinstance(item, SaveableObject):
                raise ValueError(f"Expected a list of SaveableObjects, got {item}.")
            by_device.setdefault(item.device or "", []).append(item)
        self._savers = [(name, SingleDeviceSaver(items)) for name, items in sorted(by_device.items())]

    def save(self, file_prefix: TensorLike) -> Any:
        """The operation that writes a checkpoint.

        Args:
            file_prefix: its path, a string or a tensor of one.
        """
        if len(self._savers) == 1:
            return self._savers[0][1].save(file_prefix)
        with device("/cpu:0"):
            parts = string_join([file_prefix, f"_temp_{uuid.uuid4().hex}/part"])
        count = constant(len(self._savers), name="num_shards")
        saves, prefixes, last = [], [], ""
        for shard, (name, saver) in enumerate(self._savers):
            last = on_cpu(name)
            with device(last):
                prefixes.append(sharded_filename(parts, shard, count))
            with device(name):
                saves.append(saver.save(prefixes[-1]))
        with control_dependencies(saves), device(last):
            return raw.MergeV2Checkpoints(prefixes, file_prefix, delete_old_dirs=True)

    def restore(self, file_prefix: Any) -> dict[str, Any]:
        """The operations that take the values of a checkpoint, by the names of the objects."""
        made = {}
        for name, saver in self._savers:
            with device(name):
                made.update(saver.restore(file_prefix))
        return made

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


def save_op(path: Any, saveables: Iterable[SaveableObject], texts: dict[str, Tensor]) -> Any:
    """The operation that writes what is saved of objects.

    Args:
        path: that of the checkpoint.
        saveables: what is saved of them.
        texts: string tensors that are saved too, by their keys.
    """
    kept = [NoRestoreSaveable(text, key) for key, text in texts.items()]
    return MultiDeviceSaver([*saveables, *kept]).save(path)


def sharded_filename(filename_tensor: TensorLike, shard: TensorLike, num_shards: TensorLike) -> Tensor:
    """The path of one of the files of a checkpoint."""
    name: Tensor = raw.ShardedFilename(filename_tensor, shard, num_shards)
    return name


__all__ = ["MultiDeviceSaver", "SingleDeviceSaver", "save_op", "sharded_filename"]
