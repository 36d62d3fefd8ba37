"""Which part of a larger variable a variable is, and the names that are kept in `VariableDef` messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.messages import protos


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """`name` without the leading `export_scope`."""
    if not export_scope:
        return name
    for mark in ("", "^", "loc:@"):
        lead = f"{mark}{export_scope.rstrip('/')}/"
        if name.startswith(lead):
            return mark + name[len(lead) :]
    return name


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """`name` below `import_scope`."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return f"{mark}{scope}/{name[len(mark) :]}"
    return f"{scope}/{name}"


class SaveSliceInfo:
    """Where in a larger variable a part lies, for saving it under the larger one's name.

    Args:
        full_name: name of the whole.
        full_shape: shape of the whole.
        var_offset: where the part begins, an index for each dimension.
        var_shape: shape of the part.
        save_slice_info_def: a `SaveSliceInfoDef` with all that instead.
        import_scope: a name scope to put before the name in the message.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            self.full_name: str | None = prepend_name_scope(save_slice_info_def.full_name, import_scope)
            self.full_shape: Sequence[int] | None = list(save_slice_info_def.full_shape)
            self.var_offset: Sequence[int] | None = list(save_slice_info_def.var_offset)
            self.var_shape: Sequence[int] | None = list(save_slice_info_def.var_shape)
        else:
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The slice in the form of checkpoints: "10 20 0,5:0,20"."""
        full = "".join(f"{size} " for size in self.full_shape or ())
        parts = zip(self.var_offset or (), self.var_shape or (), strict=True)
        return full + ":".join(f"{offset},{size}" for offset, size in parts)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """It as a `SaveSliceInfoDef`; None if it is not below `export_scope`."""
        if export_scope is not None and not (self.full_name or "").startswith(export_scope):
            return None
        return protos.SaveSliceInfoDef(
            full_name=strip_name_scope(self.full_name or "", export_scope),
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )
