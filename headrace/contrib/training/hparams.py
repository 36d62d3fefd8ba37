"""Hyperparameters: named values of fixed types, set from text, JSON or a message."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.framework_ops import register_proto_function
from headrace.messages.protos import HParamDef

# name=value, name[index]=value or name=[value, …], up to the next comma.
_ASSIGNMENT = re.compile(
    r"""(?P<name>[a-zA-Z][\w.]*)
    (?:\[\s*(?P<index>\d+)\s*\])?
    \s*=\s*
    (?:(?P<single>[^,\[]*)|\[(?P<several>[^\]]*)\])
    (?:$|,\s*)""",
    re.VERBOSE,
)


def _unparsable(name: str, kind: type, value: str, values: str) -> ValueError:
    return ValueError(f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{value}' in {values}")


def _assigned_twice(name: str, values: str) -> ValueError:
    return ValueError(f"Multiple assignments to variable '{name}' in {values}")


def _as_bool(text: str) -> bool:
    if text in ("true", "True"):
        return True
    if text in ("false", "False"):
        return False
    return bool(int(text))


def parse_values(values: str, type_map: Mapping[str, type], ignore_unknown: bool = False) -> dict[str, Any]:
    """Reads assignments.

    Args:
        values: text such as "rate=0.1,layers=[3,4],sizes[1]=5".
        type_map: the types of the names.
        ignore_unknown: pass over other names.

    Returns:
        a dict from names to values: single ones, lists, or dicts from indices to values.

    Raises:
        ValueError: for text of another form or type, an unknown name, or a name assigned twice.

    Example:
        >>> tf.contrib.training.parse_values("rate=0.1,layers=[3,4]", {"rate": float, "layers": int})
        {'rate': 0.1, 'layers': [3, 4]}
    """
    results: dict[str, Any] = {}
    place = 0
    while place < len(values):
        found = _ASSIGNMENT.match(values, place)
        if not found:
            raise ValueError(f"Malformed hyperparameter value: {values[place:]}")
        place = found.end()
        name, index, single, several = found.group("name", "index", "single", "several")
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        kind = type_map[name]
        parse: Callable[[str], Any] = _as_bool if kind is bool else kind
        if several is not None:
            if index is not None:
                raise ValueError("Assignment of a list to a list index.")
            if name in results:
                raise _assigned_twice(name, values)
            try:
                results[name] = [parse(item) for item in re.split("[ ,]", several) if item]
            except ValueError:
                raise _unparsable(name, kind, several, values) from None
            continue
        try:
            value = parse(single)
        except ValueError:
            raise _unparsable(name, kind, single, values) from None
        if index is None:
            if name in results:
                raise _assigned_twice(name, values)
            results[name] = value
            continue
        parts = results.setdefault(name, {})
        if not isinstance(parts, dict):
            raise _assigned_twice(name, values)
        if int(index) in parts:
            raise _assigned_twice(f"{name}[{int(index)}]", values)
        parts[int(index)] = value
    return results


def _cast(name: str, kind: Any, value: Any) -> Any:
    """`value` as a `kind`, where nothing is lost by it."""
    if type(value) is kind or issubclass(kind, type(None)):
        return value
    text = (str, bytes)
    if (
        (issubclass(kind, text) and not isinstance(value, text))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    ):
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


class HParams:
    """Hyperparameters, which are attributes. Their types are those of the first values.

    Args:
        hparam_def: a HParamDef message with the values.
        model_structure: whatever describes the model.
        **kwargs: or the values.

    Raises:
        ValueError: for both a message and values, an empty list, or a name that is taken.
        AssertionError: if `hparam_def` is no such message.

    Example:
        >>> hparams = tf.contrib.training.HParams(rate=0.1, layers=[3, 4])
        >>> hparams.parse("rate=0.5,layers=[5]").rate
        0.5
    """

    _HAS_DYNAMIC_ATTRIBUTES = True

    if TYPE_CHECKING:
        # Values have any name and type; at run time a missing one is an AttributeError as ever.
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: object) -> None: ...

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def:
            if not hasattr(hparam_def, "hparam"):
                raise AssertionError(f"HParams: hparam_def must be an HParamDef message, got {type(hparam_def)}")
            self._init_from_proto(hparam_def)
            if kwargs:
                raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def _init_from_proto(self, hparam_def: Any) -> None:
        for name, value in hparam_def.hparam.items():
            kind = value.WhichOneof("kind")
            found = getattr(value, kind)
            items = [found] if kind.endswith("_value") else list(found.value)
            items = [item.decode() if isinstance(item, bytes) else item for item in items]
            self.add_hparam(name, items[0] if kind.endswith("_value") else items)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter; a list or tuple makes one of several values."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if several else value), several)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter to a value of its type, a list if it has several values.

        Raises:
            KeyError: for an unknown name; ValueError: for another type.
        """
        kind, several = self._hparam_types[name]
        if isinstance(value, list):
            if not several:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, item) for item in value])
        else:
            if several:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter, if there is one of the name."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets hyperparameters from text, see `parse_values`; returns itself."""
        types = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, types))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets hyperparameters from a dict; returns itself."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """The older name of `override_from_dict`."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Sequence[int]) -> None:
        """Sets what describes the model."""
        self._model_structure = model_structure

    def get_model_structure(self) -> list[int]:
        """What describes the model."""
        return self._model_structure

    def to_json(
        self, indent: int | None = None, separators: tuple[str, str] | None = None, sort_keys: bool = False
    ) -> str:
        """The values as JSON; the arguments are those of `json.dumps`."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Sets hyperparameters from JSON; returns itself."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or `default`, which must be of the value's type.

        Raises:
            ValueError: if it is not.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, several = self._hparam_types[key]
            described = f"list<{kind}>" if several else str(kind)
            message = f"Hparam '{key}' of type '{described}' is incompatible with default={default}"
            if several != isinstance(default, list):
                raise ValueError(message)
            try:
                for item in default if several else [default]:
                    _cast(key, kind, item)
            except ValueError as error:
                raise ValueError(f"{message}. {error}") from None
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    @staticmethod
    def _get_kind_name(param_type: type, is_list: bool) -> str:
        for kind, name in ((bool, "bool"), (int, "int64"), ((str, bytes), "bytes"), (float, "float")):
            if issubclass(param_type, kind):
                return f"{name}_{'list' if is_list else 'value'}"
        raise ValueError(f"Unsupported parameter type: {param_type}")

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The values as a HParamDef message; `export_scope` makes no difference."""
        message = HParamDef()
        for name, (kind, several) in self._hparam_types.items():
            field = HParams._get_kind_name(kind, several)
            value = getattr(self, name)
            items = [item.encode() if isinstance(item, str) else item for item in (value if several else [value])]
            if several:
                getattr(message.hparam[name], field).value.extend(items)
            else:
                setattr(message.hparam[name], field, items[0])
        return message

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """The hyperparameters of a HParamDef message; `import_scope` makes no difference."""
        return HParams(hparam_def=hparam_def)


register_proto_function("hparams", proto_type=HParamDef, to_proto=HParams.to_proto, from_proto=HParams.from_proto)
