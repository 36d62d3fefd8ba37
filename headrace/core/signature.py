"""The one-line language in which an op type states its inputs, attributes and outputs.

    a: T, b: T, *, transpose_a=False, transpose_b=False, T: floating -> product: T

Inputs come first, attributes after a lone ``*``, outputs after ``->``.

==========================  ==========================================================
``x: float``                an input of one dtype
``x: T``                    of the dtype that the type attribute ``T`` holds
``x: N * T``                a list of ``N`` tensors of one dtype
``x: *Tin``                 a list of tensors, their dtypes held by ``Tin``
``x: ref T``                a reference, as variables of the first kind pass on
``flag=False``              an attribute of the default's kind
``k: int >= 1 = 3``         with a least value (of a list: a least length) and a default
``T: {float, double}``      a dtype among these; ``T: floating`` among a named set; ``T: type`` any
``mode: {'A', 'B'} = 'A'``  a string among these
``s: shape = None``         the default is a shape of unknown rank; ``[]`` a scalar, ``[?, 3]`` partly known
``Tout: list(type) >= 1``   a list; ``list({float, int64})`` limits its dtypes
``c: tensor = uint8[1, 2]`` a tensor with a vector as default
==========================  ==========================================================

What an input refers to needs no declaration: ``T`` is then any dtype, ``N`` an int >= 1, ``Tin`` a list of
dtypes.
This module parses and writes the language; what the specs mean to a graph is for its callers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import DTYPE_SETS, DType, as_dtype, dtype_text

if TYPE_CHECKING:
    import numpy as np


__all__ = ["Arg", "Attr", "Signature", "parse_signature", "signature_text"]


_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


def function_name(op_type: str) -> str:
    """The function name of an op type.

    Example:
        >>> function_name("SparseMatMul"), function_name("LRNGrad"), function_name("Conv2DBackpropInput")
        ('sparse_mat_mul', 'lrn_grad', 'conv2d_backprop_input')
    """
    return _WORDS.sub("_", op_type).lower()


@dataclass(frozen=True, slots=True)
class Arg:
    """An input or output: one tensor, or a list when `number_attr` or `type_list_attr` is set."""

    name: str
    dtype: DType | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False


@dataclass(frozen=True, slots=True)
class Attr:
    """An attribute. `default` counts only under `has_default`; copy a list default before changing it."""

    name: str
    kind: str
    default: Any = None
    has_default: bool = False
    allowed: tuple[Any, ...] | None = None
    minimum: int | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What an op type takes and gives. `attrs` keeps the declared order, implied attributes last."""

    op_type: str
    inputs: tuple[Arg, ...]
    attrs: dict[str, Attr]
    outputs: tuple[Arg, ...]
    stateful: bool = False

    @property
    def calls(self) -> bool:
        """Whether an attribute names a function of the graph."""
        return any(attr.kind in ("func", "list(func)") for attr in self.attrs.values())


_SCALAR_KINDS = ("int", "float", "bool", "string", "type", "shape", "tensor", "func")
_KINDS = frozenset(_SCALAR_KINDS) | {f"list({kind})" for kind in _SCALAR_KINDS}

# A spec between top-level commas; brackets and quotes hide the commas inside them.
_SPEC = re.compile(
    r"(?:[^,'\"\[{(]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\{[^}]*\}|\[(?:[^][]|\[[^]]*\])*\]|\([^)]*\))+"
)
_ARG = re.compile(r"(\w+)\s*:\s*(?:(\w+)\s*\*\s*)?(ref\s+)?(\*\s*)?([A-Za-z_]\w*)")
_ATTR = re.compile(
    r"""(\w+)\s*
        (?::\s*(\{[^}]*\} | list\((?:[^(){}]|\{[^}]*\})*\) | \w[\w\s|]*?)\s*)?
        (?:>=\s*(-?\d+)\s*)?
        (?:=\s*(.+))?""",
    re.VERBOSE | re.DOTALL,
)
_TENSOR = re.compile(r"(\w+)\s*(\[[^]]*\])")

# Specs such as "x: T" and "Tidx: index = int32" repeat across hundreds of declarations.
_args: dict[str, Arg] = {}
_attrs: dict[str, Attr] = {}


def parse_signature(op_type: str, text: str, stateful: bool = False) -> Signature:
    """Read a signature line.

    Returns: the Signature. Raises: ValueError naming the op type and the spec that is wrong.

    >>> parse_signature("Neg", "x: T, *, T: {float, double} -> y: T").attrs["T"].allowed
    (tf.float32, tf.float64)
    """
    try:
        head, arrow, tail = text.rpartition("->")
        if not arrow:
            head, tail = tail, ""
        inputs: list[Arg] = []
        attrs: dict[str, Attr] = {}
        in_attrs = False
        for spec in _split_specs(head):
            if in_attrs:
                attr = _attrs.get(spec) or _attr(spec)
                if attr.name in attrs:
                    raise ValueError(f"attribute {attr.name!r} is declared twice")
                attrs[attr.name] = attr
            elif spec == "*":
                in_attrs = True
            else:
                inputs.append(_args.get(spec) or _arg(spec))
        outputs = [_args.get(spec) or _arg(spec) for spec in _split_specs(tail)]
        _check_references(inputs, attrs, implied=True)
        _check_references(outputs, attrs, implied=False)
        for args in (inputs, outputs):
            if len({arg.name for arg in args}) < len(args):
                raise ValueError("two inputs or two outputs have one name")
    except ValueError as error:
        raise ValueError(f"Signature of {op_type}: {error}, in {text!r}") from None
    return Signature(op_type, tuple(inputs), attrs, tuple(outputs), stateful)


def _split_specs(text: str) -> list[str]:
    text = text.strip()
    if not text:
        return []
    if "'" not in text and "{" not in text and "[" not in text and '"' not in text:
        specs = [spec.strip() for spec in text.split(",")]
    else:
        specs = []
        end = -1
        for match in _SPEC.finditer(text):
            if match.start() != end + 1 or (end >= 0 and text[end] != ","):
                break
            end = match.end()
            specs.append(match.group().strip())
        if end != len(text):
            raise ValueError(f"cannot read {text[max(end, 0) :]!r}")
    if "" in specs:
        raise ValueError("nothing stands between two commas")
    return specs


def _arg(spec: str) -> Arg:
    match = _ARG.fullmatch(spec)
    if not match:
        raise ValueError(f"{spec!r} is not 'name: type'")
    name, number, ref, star, of = match.groups()
    if star:
        if number or ref:
            raise ValueError(f"{spec!r} mixes a list of types with a count or 'ref'")
        arg = Arg(name, type_list_attr=of)
    else:
        dtype = _dtype_or_none(of)
        arg = Arg(name, dtype, None if dtype else of, number, None, bool(ref))
    _args[spec] = arg
    return arg


def _attr(spec: str) -> Attr:
    match = _ATTR.fullmatch(spec)
    if not match or (match[2] is None and match[4] is None):
        raise ValueError(f"{spec!r} is not 'name: kind', 'name: kind = default' or 'name=default'")
    name, of, minimum, literal = match.groups()
    if of is None:
        default = _literal(literal)
        kind = _kind_of(default)
        if kind is None:
            raise ValueError(f"the kind of {spec!r} cannot be told from its default; write 'name: kind = default'")
        allowed = None
    else:
        kind, allowed = _kind_and_allowed(of)
        default = None if literal is None else _default(kind, literal.strip())
        if allowed is not None and literal is not None:
            for value in default if isinstance(default, list) else (default,):
                if value not in allowed:
                    raise ValueError(f"the default of {spec!r} is not allowed")
    if minimum is not None and kind != "int" and not kind.startswith("list("):
        raise ValueError(f"{spec!r}: only an int or a list has a least value")
    attr = Attr(name, kind, default, literal is not None, allowed, None if minimum is None else int(minimum))
    _attrs[spec] = attr
    return attr


def _kind_and_allowed(text: str) -> tuple[str, tuple[Any, ...] | None]:
    if text in _KINDS:
        return text, None
    inner, form = text, "{}"
    if text.startswith("list(") and text.endswith(")"):
        inner, form = text[5:-1].strip(), "list({})"
        if f"list({inner})" in _KINDS:
            return f"list({inner})", None
    if inner.startswith("{") and inner.endswith("}"):
        names = _split_specs(inner[1:-1])
        if not names:
            raise ValueError(f"{text!r} allows nothing")
        if names[0][0] in "'\"":
            return form.format("string"), tuple(_string(name) for name in names)
        return form.format("type"), _unique(_dtype(name) for name in names)
    dtypes: list[DType] = []
    for name in inner.split("|"):
        name = name.strip()
        if name not in DTYPE_SETS:
            raise ValueError(f"{name!r} is neither a kind of attribute nor a set of dtypes")
        dtypes.extend(DTYPE_SETS[name])
    return form.format("type"), _unique(dtypes)


def _unique(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _dtype_or_none(name: str) -> DType | None:
    # A capital letter begins an attribute's name, which as_dtype might take for a NumPy type code ("U", "V").
    if name[0].isupper():
        return None
    try:
        return as_dtype(name)
    except TypeError:
        return None


def _dtype(name: str) -> DType:
    dtype = _dtype_or_none(name)
    if dtype is None:
        raise ValueError(f"{name!r} is not a dtype")
    return dtype


def _literal(text: str) -> Any:
    text = text.strip()
    if text == "False":
        return False
    if text == "True":
        return True
    if text in ("inf", "-inf", "nan"):
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"{text!r} is not a literal") from None


def _string(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == "'" and "\\" not in text and "'" not in text[1:-1]:
        return text[1:-1]
    value = _literal(text)
    if not isinstance(value, str):
        raise ValueError(f"{text!r} is not a string")
    return value


def _kind_of(value: object) -> str | None:
    if isinstance(value, bool):
        return "bool"
    for python_type, kind in ((int, "int"), (float, "float"), (str, "string")):
        if isinstance(value, python_type):
            return kind
    return None


def _default(kind: str, text: str) -> Any:
    if kind.startswith("list("):
        if not (text.startswith("[") and text.endswith("]")):
            raise ValueError(f"{text!r} is not a list")
        return [_default(kind[5:-1], spec) for spec in _split_specs(text[1:-1])]
    if kind == "type":
        return _dtype(text)
    if kind == "string":
        return _string(text)
    if kind == "shape":
        return _shape(text)
    if kind == "tensor":
        return _tensor(text)
    if kind == "func":
        raise ValueError("a function attribute has no default")
    value = _literal(text)
    if kind == "float" and _kind_of(value) == "int":
        return float(value)
    if _kind_of(value) != kind:
        raise ValueError(f"{text!r} is not of kind {kind}")
    return value


def _shape(text: str) -> tuple[int | None, ...] | None:
    if text in ("None", "unknown"):
        return None
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"{text!r} is not a shape")
    dims = tuple(None if spec in ("None", "?") else _literal(spec) for spec in _split_specs(text[1:-1]))
    if not all(dim is None or (_kind_of(dim) == "int" and dim >= 0) for dim in dims):
        raise ValueError(f"{text!r} is not a shape")
    return dims


def _tensor(text: str) -> np.ndarray:
    import numpy

    match = _TENSOR.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a tensor such as uint8[1, 2]")
    return numpy.array(_literal(match[2]), dtype=_dtype(match[1]).as_numpy_dtype)


def _check_references(args: list[Arg], attrs: dict[str, Attr], implied: bool) -> None:
    """Every attribute that an argument names must be there, of the right kind; an input may imply it."""
    for arg in args:
        if arg.type_attr is not None:
            _refer(arg, arg.type_attr, "type", None, attrs, implied)
        if arg.number_attr is not None:
            _refer(arg, arg.number_attr, "int", 1, attrs, implied)
        if arg.type_list_attr is not None:
            _refer(arg, arg.type_list_attr, "list(type)", 0, attrs, implied)


def _refer(arg: Arg, name: str, kind: str, minimum: int | None, attrs: dict[str, Attr], implied: bool) -> None:
    attr = attrs.get(name)
    if attr is not None:
        if attr.kind != kind:
            raise ValueError(f"{arg.name!r} uses {name!r} as {kind}, it is {attr.kind}")
    elif implied and _may_be_implied(name):
        attrs[name] = Attr(name, kind, minimum=minimum)
    else:
        raise ValueError(f"{arg.name!r} refers to {name!r}, which is neither a dtype nor a declared attribute")


def _may_be_implied(name: str) -> bool:
    # "x: flaot" must be an error, not a new attribute.
    return name[0].isupper() or name.endswith("type")


def signature_text(signature: Signature) -> str:
    """The canonical line of a signature; `parse_signature` reads it back.

    >>> signature_text(parse_signature("Neg", "x: T, *, T: type -> y: T"))
    'x: T -> y: T'
    """
    implied: dict[str, Attr] = {}
    _check_references([arg for arg in signature.inputs if _impliable(arg)], implied, implied=True)
    specs = [_arg_text(arg) for arg in signature.inputs]
    declared = [_attr_text(attr) for attr in signature.attrs.values() if implied.get(attr.name) != attr]
    if declared:
        specs += ["*", *declared]
    text = ", ".join(specs) + " -> " + ", ".join(_arg_text(arg) for arg in signature.outputs)
    return text.strip()


def _impliable(arg: Arg) -> bool:
    return all(_may_be_implied(name) for name in (arg.type_attr, arg.number_attr, arg.type_list_attr) if name)


def _arg_text(arg: Arg) -> str:
    if arg.type_list_attr is not None:
        return f"{arg.name}: *{arg.type_list_attr}"
    of = arg.type_attr if arg.dtype is None else dtype_text(arg.dtype)
    count = f"{arg.number_attr} * " if arg.number_attr else ""
    return f"{arg.name}: {count}{'ref ' if arg.is_ref else ''}{of}"


def _attr_text(attr: Attr) -> str:
    short = attr.kind in ("bool", "int", "float", "string") and attr.allowed is None and attr.minimum is None
    if attr.has_default and short:
        return f"{attr.name}={_value_text(attr.kind, attr.default)}"
    text = f"{attr.name}: {_kind_text(attr)}"
    if attr.minimum is not None:
        text += f" >= {attr.minimum}"
    if attr.has_default:
        text += f" = {_value_text(attr.kind, attr.default)}"
    return text


def _kind_text(attr: Attr) -> str:
    if attr.allowed is None:
        return attr.kind
    if attr.kind.endswith(("string", "string)")):
        of = "{" + ", ".join(repr(value) for value in attr.allowed) + "}"
    else:
        allowed = set(attr.allowed)
        named = [name for name, dtypes in DTYPE_SETS.items() if set(dtypes) == allowed]
        of = named[0] if named else "{" + ", ".join(dtype_text(dtype) for dtype in attr.allowed) + "}"
    return f"list({of})" if attr.kind.startswith("list(") else of


def _value_text(kind: str, value: Any) -> str:
    if kind.startswith("list("):
        return "[" + ", ".join(_value_text(kind[5:-1], item) for item in value) + "]"
    if kind == "type":
        return dtype_text(value)
    if kind == "shape":
        if value is None:
            return "None"
        return "[" + ", ".join("?" if dim is None else str(dim) for dim in value) + "]"
    if kind == "tensor":
        return f"{dtype_text(as_dtype(value.dtype))}{value.tolist()}"
    return repr(value)
