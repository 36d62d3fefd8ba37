"""Files of vocabulary processors, which TensorFlow pickles: read as plain data, written so that TensorFlow reads them too."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable
from io import BytesIO
from types import BuiltinFunctionType, FunctionType
from typing import Any, ClassVar

import numpy as np

from headrace.contrib.learn.pickled_data import Name, Record, decode, is_plain
from headrace.contrib.learn.vocabularies import CategoricalVocabulary

# Where TensorFlow keeps what these files refer to.
_SOURCE_TREE = "tensorflow.contrib.learn.python.learn.preprocessing"
PROCESSOR = Name(f"{_SOURCE_TREE}.text", "VocabularyProcessor")
TOKENIZER = Name(f"{_SOURCE_TREE}.text", "tokenizer")
_VOCABULARY = Name(f"{_SOURCE_TREE}.categorical_vocabulary", "CategoricalVocabulary")

# Attributes and their types.
_OF_PROCESSORS = {"max_document_length": int, "min_frequency": (int, float), "vocabulary_": Record, "_tokenizer": Name}
_OF_VOCABULARIES = {
    "_unknown_token": object,
    "_support_reverse": bool,
    "_mapping": dict,
    "_reverse_mapping": list,
    "_freq": dict,
    "_freeze": bool,
}


def read_processor(data: bytes, processor: type) -> tuple[Name, dict[str, Any]]:
    """What a file says of a processor.

    Args:
        data: the file.
        processor: the class that is to have the attributes.

    Returns:
        the name of its class, and its attributes; the tokenizer is the name of a function.

    Raises:
        pickle.UnpicklingError: if the file holds anything else.
    """
    record = decode(data)
    if not isinstance(record, Record):
        raise pickle.UnpicklingError(f"expected an object of {PROCESSOR}, got a {type(record).__name__}")
    attributes = _checked(record, _OF_PROCESSORS, processor)
    attributes["vocabulary_"] = _vocabulary(attributes["vocabulary_"])
    attributes["_tokenizer"] = _in_source_tree(attributes["_tokenizer"])
    return _in_source_tree(record.kind), attributes


def _in_source_tree(name: Name) -> Name:
    # 1.15 may call its own modules so.
    return Name(name.module.replace("tensorflow_core.", "tensorflow.", 1), name.name)


def _vocabulary(record: Record) -> CategoricalVocabulary:
    if _in_source_tree(record.kind) != _VOCABULARY:
        raise pickle.UnpicklingError(f"expected an object of {_VOCABULARY}, got one of {record.kind}")
    # TensorFlow's have none where `support_reverse` is False.
    record.attributes.setdefault("_reverse_mapping", [])
    attributes = _checked(record, _OF_VOCABULARIES, CategoricalVocabulary)
    for name in ("_mapping", "_freq"):
        if not all(type(value) in (int, float) for value in attributes[name].values()):
            raise pickle.UnpicklingError(f"expected numbers of words in {name} of {_VOCABULARY}")
    return _with_attributes(CategoricalVocabulary, attributes)


def _checked(record: Record, kinds: dict[str, Any], owner: type) -> dict[str, Any]:
    """The attributes: those that there must be, and data that a program has added."""
    for name, kind in kinds.items():
        value = record.attributes.get(name)
        if (
            name not in record.attributes
            or not isinstance(value, kind)
            or not (_is_data(value) or kind in (Record, Name))
        ):
            raise pickle.UnpicklingError(f"expected an object of {record.kind} with {name} as TensorFlow has it")
    for name in record.attributes.keys() - kinds.keys():
        if type(name) is not str or hasattr(owner, name) or not _is_data(record.attributes[name]):
            raise pickle.UnpicklingError(f"expected an object of {record.kind} without an attribute {name!r}")
    return dict(record.attributes)


def _is_data(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    return isinstance(value, list) or is_plain(value)


def write_processor(processor: Any, places: dict[Any, Name]) -> bytes:
    """A processor as a file of Python 2's times, which all read.

    Args:
        processor: the processor.
        places: what TensorFlow calls our classes and functions.

    Raises:
        pickle.PicklingError: if it has what `read_processor` would not read, or a tokenizer that has no name.
    """
    vocabulary = processor.vocabulary_
    if type(vocabulary) is not CategoricalVocabulary:
        raise pickle.PicklingError(f"expected a vocabulary of CategoricalVocabulary, got {type(vocabulary).__name__}")
    function = processor._tokenizer
    if not isinstance(function, (FunctionType, BuiltinFunctionType)) or "." in function.__qualname__:
        raise pickle.PicklingError(f"expected a tokenizer that is a function of a module, got {function!r:.100}")
    words = {name: _writable(value) for name, value in vars(vocabulary).items()}
    # TensorFlow counts new words on without looking whether they are there.
    words["_freq"] = defaultdict(int, words["_freq"])
    if not vocabulary._support_reverse:
        words.pop("_reverse_mapping", None)
    attributes = {"vocabulary_": _with_attributes(CategoricalVocabulary, words), "_tokenizer": function}
    others = {name: _writable(value) for name, value in vars(processor).items() if name not in attributes}
    stream = BytesIO()
    _Pickler(stream, places | {CategoricalVocabulary: _VOCABULARY}).dump(
        _with_attributes(type(processor), others | attributes)
    )
    return stream.getvalue()


def _with_attributes(kind: type, attributes: dict[str, Any]) -> Any:
    thing: Any = object.__new__(kind)
    vars(thing).update(attributes)
    return thing


def _writable(value: Any) -> Any:
    """Data in Python's own types; NumPy's are not found by all its versions."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is dict:
        return {_writable(key): _writable(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        value = type(value)(map(_writable, value))
    if not (type(value) is list or is_plain(value)):
        raise pickle.PicklingError(
            f"expected texts, numbers of at most 64 bits or tuples of texts in what is saved, got {value!r:.100}"
        )
    return value


class _Pickler(pickle._Pickler):
    """Writes classes and functions under other names. The pickler in C offers no place for that."""

    def __init__(self, stream: BytesIO, places: dict[Any, Name]) -> None:
        super().__init__(stream, protocol=2)
        self._places = places

    def save_global(self, obj: Callable[..., Any] | type, name: str | None = None) -> None:
        place = self._places.get(obj)
        if place is None:
            super().save_global(obj, name)  # type: ignore[misc]  # typeshed knows the pickler in C only
            return
        self.write(pickle.GLOBAL + f"{place.module}\n{place.name}\n".encode())  # type: ignore[attr-defined]  # typeshed knows the pickler in C only
        self.memoize(obj)  # type: ignore[attr-defined]  # typeshed knows the pickler in C only

    dispatch: ClassVar[dict[type, Any]] = dict(pickle._Pickler.dispatch)
    dispatch[FunctionType] = save_global
