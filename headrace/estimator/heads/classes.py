"""The classes of a classifier as predictions and outputs: their numbers and names, for each example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.tensor import Tensor
from headrace.kernels.composing import expand_dims, range_, shape
from headrace.lookup.vocabularies import index_table_from_tensor, index_to_string_table_from_tensor
from headrace.ops.array.tile import tile
from headrace.ops.math.argmax import argmax
from headrace.ops.string.conversion import as_string
from headrace.saved_model.export_output import ClassificationOutput

if TYPE_CHECKING:
    from headrace.lookup.tables import LookupInterface

Vocabulary = Sequence[str] | None


def all_class_ids(logits: Tensor, n_classes: int | Tensor) -> Tensor:
    """The numbers of all classes for each example, [batch, classes]."""
    batch = shape(logits)[0]
    return tile(expand_dims(range_(n_classes), 0), [batch, 1])


def all_classes(logits: Tensor, n_classes: int | Tensor, label_vocabulary: Vocabulary = None) -> Tensor:
    """The names of all classes for each example, string [batch, classes]."""
    batch = shape(logits)[0]
    names = list(label_vocabulary) if label_vocabulary else as_string(range_(n_classes))
    return tile(expand_dims(names, 0), [batch, 1])


def best_class(scores: Tensor) -> Tensor:
    """The number of the class with the highest score, [..., 1]."""
    return expand_dims(argmax(scores, axis=-1, name="class_ids"), -1)


def named(class_ids: Tensor, label_vocabulary: Vocabulary) -> Tensor:
    """The names of classes: their words, or their numbers as text."""
    if not label_vocabulary:
        return as_string(class_ids, name="str_classes")
    table = index_to_string_table_from_tensor(list(label_vocabulary), name="class_string_lookup")
    return table.lookup(class_ids)


def numbered(labels: Tensor, label_vocabulary: Vocabulary) -> Tensor:
    """The numbers of the classes that labels name."""
    table: LookupInterface = index_table_from_tensor(tuple(label_vocabulary or ()), name="class_id_lookup")
    return table.lookup(labels)


def classification_output(scores: Tensor, n_classes: int | Tensor, label_vocabulary: Vocabulary = None) -> Any:
    """The scores of all classes with their names, for a server."""
    return ClassificationOutput(scores=scores, classes=all_classes(scores, n_classes, label_vocabulary))
