"""Messages within `google.protobuf.Any`: in files they are named as TensorFlow names them, here by the classes' own names.

The classes are tensorboard's, of the package `tensorboard`; `Unpack` refuses a message by the other package's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.messages import protos


_IN_FILES = "type.googleapis.com/tensorflow."
_HERE = "type.googleapis.com/tensorboard."


def named_as_in_files(packed: Any) -> Any:
    """A copy of a packed message under the name that TensorFlow knows it by."""
    copy = type(packed)()
    copy.CopyFrom(packed)
    if copy.type_url.startswith(_HERE):
        copy.type_url = _IN_FILES + copy.type_url.removeprefix(_HERE)
    return copy


def name_as_classes(meta_graph_def: protos.MetaGraphDef) -> None:
    """Gives the packed messages in a MetaGraphDef's collections the names of the classes that programs unpack them by."""
    for collection in meta_graph_def.collection_def.values():
        for packed in collection.any_list.value:
            if packed.type_url.startswith(_IN_FILES):
                packed.type_url = _HERE + packed.type_url.removeprefix(_IN_FILES)
