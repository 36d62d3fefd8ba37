"""Decoding of serialized `tf.train.Example`s into images, boxes and other items."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.slim.data.data_decoder import DataDecoder
from headrace.core import composite
from headrace.core.dtypes import int64, uint8
from headrace.functions.flow.case import case
from headrace.functions.flow.cond import cond
from headrace.functions.image import decode as decode_functions
from headrace.functions.math.reduction import reduce_prod
from headrace.functions.parsing.example import parse_single_example
from headrace.functions.parsing.features import FixedLenFeature
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.kernels.composing.arranging import concat, stack, transpose
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_of
from headrace.ops.image import decode
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.logical import logical_or
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.ops.string.conversion import decode_raw
from headrace.recurrent.functional import map_fn

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


def _dense(value: TensorLike) -> Any:
    return sparse_tensor_to_dense(value) if isinstance(value, composite.SparseTensor) else value


class ItemHandler(abc.ABC):
    """What makes an item of features.

    Args:
        keys: the keys of the features, or the only one.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = list(keys) if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> list[str]:
        """The keys of the features."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The item, of the features by key."""


class ItemHandlerCallback(ItemHandler):
    """A handler that calls a function of the features by key."""

    def __init__(self, keys: Sequence[TensorLike], func: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the function gives."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes [n, 4] of four features: ymin, xmin, ymax, xmax.

    Args:
        keys: other names of these.
        prefix: what stands before them.

    Raises:
        ValueError: if there are not four.
    """

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        super().__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The boxes."""
        sides = [keys_to_tensors[key] for key in self._keys]
        sides = [side.values if isinstance(side, composite.SparseTensor) else side for side in sides]
        return transpose(concat([expand_dims(side, 0) for side in sides], 0))


class Tensor(ItemHandler):
    """A feature as a dense tensor.

    Args:
        tensor_key: its key.
        shape_keys: the key of a feature with its shape, or a list of those of the sizes.
        shape: its shape.
        default_value: what fills places that a sparse feature leaves out.

    Raises:
        ValueError: if the shape is given in both ways.
    """

    def __init__(self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: int = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The tensor."""
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            shape = reshape(stack([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if isinstance(tensor, composite.SparseTensor):
            if shape is not None:
                tensor = sparse_reshape(tensor, shape)
            return sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else reshape(tensor, shape)


class LookupTensor(Tensor):
    """A feature whose elements are looked up in a table.

    Args:
        tensor_key, shape_keys, shape, default_value: as in `Tensor`.
        table: a lookup table.
    """

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Any = None,
        shape: TensorLike | None = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the table has for the elements."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """A handler, and another one for examples for which the first gives an empty item.

    Raises:
        ValueError: if one is no handler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for what, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{what} handler is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The item of the one or the other."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return cond(
            pred=equal(reduce_prod(shape(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


class SparseTensor(ItemHandler):
    """A sparse tensor of features with its indices and values.

    Args:
        indices_key, values_key: their keys.
        shape_key: the key of its shape; `shape`: its shape; that of the indices by default.
        densify: whether to give a dense tensor.
        default_value: what fills the other places of that.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        super().__init__([self._indices_key, self._values_key, *([shape_key] if shape_key else [])])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The tensor."""
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        dense_shape = (
            _dense(keys_to_tensors[self._shape_key]) if self._shape_key else self._shape or indices.dense_shape
        )
        rank = shape(indices.indices)[1]
        kept = slice_of(indices.indices, [0, 0], stack([-1, rank - 1]))
        places = concat([kept, reshape(cast(indices.values, int64), [-1, 1])], 1)
        tensor = composite.SparseTensor(places, values.values, dense_shape)
        return sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor


class Image(ItemHandler):
    """An image.

    Args:
        image_key: the key of its file; "image/encoded" by default.
        format_key: the key of its format; "image/format" by default; "raw" for bytes that are no file.
        shape: its shape.
        channels: the number of channels.
        dtype: the type to give it in.
        repeated: whether there are several.
        dct_method: how JPEGs are decoded.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: DType = uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The image, or images."""
        contents, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda one: self._decode(one, kind), contents, dtype=self._dtype)
        return self._decode(contents, kind)

    def _decode(self, contents: TensorLike, kind: TensorLike) -> Any:
        def decode_image() -> Any:
            return cast(decode_functions.decode_image(contents, channels=self._channels), self._dtype)

        def decode_jpeg() -> Any:
            found = decode.decode_jpeg(contents, channels=self._channels, dct_method=self._dct_method)
            return cast(found, self._dtype)

        def decode_file() -> Any:
            return cond(decode_functions.is_jpeg(contents), decode_jpeg, decode_image, name="cond_jpeg")

        is_raw = logical_or(equal(kind, "raw"), equal(kind, "RAW"))
        pairs = [(is_raw, lambda: decode_raw(contents, out_type=self._dtype))]
        image = case(pairs, default=decode_file, exclusive=True)
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else reshape(image, self._shape)


class TFExampleDecoder(DataDecoder):
    """A decoder of serialized `tf.train.Example`s.

    Args:
        keys_to_features: the features by key, as for `tf.parse_single_example`.
        items_to_handlers: handlers by the names of items.

    Example:
        >>> decoder = slim.tfexample_decoder.TFExampleDecoder(
        ...     {"image/encoded": tf.FixedLenFeature((), tf.string), "image/format": tf.FixedLenFeature((), tf.string)},
        ...     {"image": slim.tfexample_decoder.Image()})
    """

    def __init__(self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, ItemHandler]) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """The names of the items there are."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: TensorLike, items: Sequence[str] | None = None) -> list[Any]:
        """The tensors of `items`, all by default, of a serialized example."""
        features = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, FixedLenFeature):
                features[key] = reshape(features[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: features[key] for key in handler.keys}) for handler in handlers]
