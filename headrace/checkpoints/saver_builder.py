"""Building the operations that save and restore, named and wired as 1.15 does it, so that exported graphs hold them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints import saveables as saveable_objects
from headrace.checkpoints.checkpoint_state import V1, V2
from headrace.checkpoints.saveables import SaveableObject as Saveable
from headrace.checkpoints.saveables import on_cpu
from headrace.core.defaults import control_dependencies, device, get_default_graph, name_scope
from headrace.core.device import canonical_name
from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import as_dtype
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.messages import protos
from headrace.ops.array.constant import constant, placeholder_with_default
from headrace.ops.flow.grouping import group, with_dependencies
from headrace.ops.string.joining import string_join
from headrace.state.partitioned import PartitionedVariable

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike


_PerDevice = Sequence[tuple[str, Sequence[Saveable]]]


class BaseSaverBuilder:
    """Builds a saver's operations; derive from it to make others.

    Args:
        write_version: `SaverDef.V1` or `V2`.
    """

    SaveSpec = saveable_objects.SaveSpec
    SaveableObject = saveable_objects.SaveableObject
    VariableSaveable = saveable_objects.ReferenceVariableSaveable
    ResourceVariableSaveable = saveable_objects.ResourceVariableSaveable

    def __init__(self, write_version: int = V2) -> None:
        self._write_version = write_version

    def save_op(self, filename_tensor: TensorLike, saveables: Sequence[Saveable]) -> Operation:
        """The operation that saves.

        Args:
            filename_tensor: a string tensor.
            saveables: what to save.

        Raises:
            RuntimeError: for an unknown version.
        """
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names, tensors, parts = [], [], []
        for spec in specs:
            names.append(spec.name)
            tensors.append(spec.tensor)
            parts.append(spec.slice_spec)
        if self._write_version == V1:
            return raw.SaveSlices(filename_tensor, names, parts, tensors, name="save")
        if self._write_version == V2:
            return raw.SaveV2(filename_tensor, names, parts, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def bulk_restore(
        self,
        filename_tensor: TensorLike,
        saveables: Sequence[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """The tensors of all `saveables`, restored one by one.

        Args:
            filename_tensor: a string tensor.
            saveables: what to restore.
            preferred_shard: the file to look in first.
            restore_sequentially: asks for one after the other, as operations always run here.
        """
        tensors = []
        for saveable in saveables:
            with device(on_cpu(saveable.device) if saveable.device else None):
                tensors.extend(self.restore_op(filename_tensor, saveable, preferred_shard))
        return tensors

    def restore_op(self, filename_tensor: TensorLike, saveable: Saveable, preferred_shard: int) -> list[Tensor]:
        """The tensors of one saveable object; arguments as in `bulk_restore`."""
        return [
            raw.RestoreV2(filename_tensor, [spec.name], [spec.slice_spec], dtypes=[_base(spec.dtype)])[0]
            for spec in saveable.specs
        ]

    def sharded_filename(self, filename_tensor: TensorLike, shard: int, num_shards: TensorLike) -> Tensor:
        """The name of one of several files."""
        return raw.ShardedFilename(filename_tensor, shard, num_shards)

    def _AddSaveOps(self, filename_tensor: Tensor, saveables: Sequence[Saveable]) -> Tensor:
        return with_dependencies([self.save_op(filename_tensor, saveables)], filename_tensor)

    def _AddShardedSaveOpsForV2(self, checkpoint_prefix: Tensor, per_device: _PerDevice) -> Tensor:
        """Each shard goes to a folder of its own; a last operation makes one checkpoint of them."""
        prefix = string_join([checkpoint_prefix, f"_temp_{uuid.uuid4().hex}/part"])
        count = constant(len(per_device), name="num_shards")
        saves, prefixes, last = [], [], ""
        for shard, (name, saveables) in enumerate(per_device):
            last = name
            with device(on_cpu(name)):
                filename = self.sharded_filename(prefix, shard, count)
                prefixes.append(filename)
                saves.append(self._AddSaveOps(filename, saveables))
        with control_dependencies([save.op for save in saves]), device(on_cpu(last)):
            merged = raw.MergeV2Checkpoints(prefixes, checkpoint_prefix, delete_old_dirs=True)
            with control_dependencies([merged]):
                return raw.Identity(checkpoint_prefix)

    def _AddShardedSaveOps(self, filename_tensor: Tensor, per_device: _PerDevice) -> Tensor:
        if self._write_version == V2:
            return self._AddShardedSaveOpsForV2(filename_tensor, per_device)
        count = constant(len(per_device), name="num_shards")
        saves = []
        for shard, (name, saveables) in enumerate(per_device):
            with device(name):
                saves.append(self._AddSaveOps(self.sharded_filename(filename_tensor, shard, count), saveables))
        with control_dependencies([save.op for save in saves]):
            return raw.ShardedFilespec(filename_tensor, count)

    def _AddRestoreOps(
        self,
        filename_tensor: TensorLike,
        saveables: Sequence[Saveable],
        restore_sequentially: bool,
        reshape: bool,
        preferred_shard: int = -1,
        name: str = "restore_all",
    ) -> Operation:
        tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially)
        assignments = []
        first = 0
        for saveable in saveables:
            shapes = [_shape_to_give(spec.tensor) for spec in saveable.specs] if reshape else None
            after = first + len(saveable.specs)
            assignments.append(saveable.restore(tensors[first:after], shapes))
            first = after
        return group(*assignments, name=name)

    def _AddShardedRestoreOps(
        self, filename_tensor: Tensor, per_device: _PerDevice, restore_sequentially: bool, reshape: bool
    ) -> Operation:
        restores = []
        for shard, (name, saveables) in enumerate(per_device):
            with device(name):
                restores.append(
                    self._AddRestoreOps(
                        filename_tensor,
                        saveables,
                        restore_sequentially,
                        reshape,
                        preferred_shard=shard,
                        name="restore_shard",
                    )
                )
        return group(*restores, name="restore_all")

    def _GroupByDevices(self, saveables: Sequence[Saveable]) -> list[tuple[str, list[Saveable]]]:
        per_device: dict[str, list[Saveable]] = {}
        for saveable in saveables:
            devices = {canonical_name(spec.tensor.device) for spec in saveable.specs}
            if len(devices) != 1:
                raise ValueError(f"All tensors of a saveable object must be on the same device: {saveable.name}")
            per_device.setdefault(devices.pop(), []).append(saveable)
        return sorted(per_device.items(), key=lambda item: item[0])

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: Any = "model",
    ) -> Any:
        """Adds the operations of a saver to the default graph; arguments as those of `Saver`.

        Args:
            names_to_saveables: a dict or list of what to save.
            filename: the path that is used where none is fed.

        Returns:
            a `SaverDef` with the names of the operations.

        Raises:
            TypeError: if something cannot be saved.
            ValueError: if something would be saved twice.
        """
        saveables = saveable_objects.validate_and_slice_inputs(names_to_saveables)
        with name_scope(name, "save", [saveable.op for saveable in saveables]):
            filename_tensor = placeholder_with_default(filename or "model", shape=(), name="filename")
            # The name that programs and older graphs feed.
            filename_tensor = placeholder_with_default(filename_tensor, shape=(), name="Const")
            if sharded:
                per_device = self._GroupByDevices(saveables)
                save_tensor = self._AddShardedSaveOps(filename_tensor, per_device)
                restore_op = self._AddShardedRestoreOps(filename_tensor, per_device, restore_sequentially, reshape)
            else:
                save_tensor = self._AddSaveOps(filename_tensor, saveables)
                restore_op = self._AddRestoreOps(filename_tensor, saveables, restore_sequentially, reshape)
        _join_partitioned_variables()
        return protos.SaverDef(
            filename_tensor_name=filename_tensor.name,
            save_tensor_name=save_tensor.name,
            restore_op_name=restore_op.name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )


class BulkSaverBuilder(BaseSaverBuilder):
    """Builds savers that restore everything by one operation."""

    def bulk_restore(
        self,
        filename_tensor: TensorLike,
        saveables: Sequence[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """The tensors of all `saveables`, restored at once; arguments as in the class above."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names, parts = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
        with device("cpu:0"):
            return raw.RestoreV2(filename_tensor, names, parts, dtypes=[_base(spec.dtype) for spec in specs])


def _base(dtype: DTypeLike) -> DType:
    return as_dtype(dtype).base_dtype


def _shape_to_give(tensor: Any) -> Any:
    shape = tensor.get_shape()
    known = shape.ndims is not None and is_fully_defined(shape.as_list())
    return shape if known else shape_of(tensor)


def _join_partitioned_variables() -> None:
    """A collection that is exported with a partitioned variable in it needs the operation of its joined value."""
    graph = get_default_graph()
    for key in graph.get_all_collection_keys():
        for item in graph.get_collection(key):
            if isinstance(item, PartitionedVariable) and item.name not in graph._nodes_by_name:
                item.as_tensor()
