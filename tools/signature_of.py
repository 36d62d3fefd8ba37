"""Print the signature lines of TensorFlow's op types, or compare what is declared here with them.

    python tools/signature_of.py MatMul Conv2D
    python tools/signature_of.py --check

The op definitions come from a JSON file: op type -> inputs, outputs, attrs and stateful of its OpDef.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from headrace.core.dtypes import as_dtype  # noqa: E402  (the path above comes first)
from headrace.core.signature import Arg, Attr, Signature, signature_text  # noqa: E402

DEFAULT_OP_DEFS = ROOT.parent / "shared" / "api" / "op_defs.json"


def signature_from_def(op_type: str, definition: dict[str, Any]) -> Signature:
    """The Signature of an op definition, its attributes in the order of the definition."""
    inputs = tuple(_arg(arg) for arg in definition["inputs"])
    outputs = tuple(_arg(arg) for arg in definition["outputs"])
    counts = {arg.number_attr for arg in inputs + outputs}
    attrs = {name: _attr(name, attr, name in counts) for name, attr in definition["attrs"].items()}
    return Signature(op_type, inputs, attrs, outputs, bool(definition.get("stateful")))


def differences(ours: Signature, theirs: Signature) -> list[str]:
    """What differs between two signatures of one op type, in words."""
    found = []
    for part in ("inputs", "outputs"):
        if getattr(ours, part) != getattr(theirs, part):
            found.append(f"{part}: {getattr(ours, part)} instead of {getattr(theirs, part)}")
    for name in {**theirs.attrs, **ours.attrs}:
        one, other = ours.attrs.get(name), theirs.attrs.get(name)
        if one is None or other is None:
            found.append(f"attr {name}: {'missing' if one is None else 'not in the definition'}")
        elif _comparable(one) != _comparable(other):
            found.append(f"attr {name}: {one} instead of {other}")
    if ours.stateful != theirs.stateful:
        found.append(f"stateful: {ours.stateful} instead of {theirs.stateful}")
    return found


def _comparable(attr: Attr) -> tuple[Any, ...]:
    # The order in which values are allowed means nothing. A definition leaves out a least value of 0.
    default = attr.default
    if attr.kind == "tensor" and attr.has_default:
        default = (default.dtype, default.tolist())
    least = attr.minimum or None
    return attr.name, attr.kind, attr.has_default, default, attr.allowed and frozenset(attr.allowed), least


def _arg(arg: dict[str, Any]) -> Arg:
    return Arg(
        arg["name"],
        _dtype(arg["type"]) if "type" in arg else None,
        arg.get("type_attr"),
        arg.get("number_attr"),
        arg.get("type_list_attr"),
        arg.get("is_ref") == "true",
    )


def _dtype(enum_name: str) -> Any:
    return as_dtype(enum_name.removeprefix("DT_").lower())


def _attr(name: str, attr: dict[str, Any], counts_inputs: bool) -> Attr:
    kind = attr["type"]
    has_default = bool(attr.get("has_default"))
    default = None
    if has_default and kind.startswith("list("):
        default = [_value(kind[5:-1], value) for value in attr["default"]]
    elif has_default:
        default = _value(kind, attr["default"])
    allowed = None
    if "allowed" in attr:
        element = "type" if "type" in kind else "string"
        allowed = tuple(_value(element, value) for value in attr["allowed"])
    minimum = int(attr["minimum"]) if "minimum" in attr else None
    if minimum is None and (counts_inputs or (kind == "list(type)" and not has_default and allowed is None)):
        minimum = 0
    return Attr(name, kind, default, has_default, allowed, minimum)


def _value(kind: str, value: Any) -> Any:
    if kind == "bool":
        return value == "true"
    if kind in ("int", "float"):
        return (int if kind == "int" else float)(value)
    if kind == "type":
        return _dtype(value)
    if kind == "string":  # escaped as in text-format protocol buffers
        return value.encode("latin-1", "backslashreplace").decode("unicode_escape")
    if kind == "shape":
        if value.get("unknown_rank"):
            return None
        sizes = (int(dim.get("size", ["0"])[0]) for dim in value.get("dim", []))
        return tuple(None if size < 0 else size for size in sizes)
    if kind == "tensor":
        import numpy

        dtype = _dtype(value["dtype"][0]).as_numpy_dtype
        return numpy.array([int(item) for item in value["int_val"]], dtype=dtype)
    raise ValueError(f"a default of kind {kind!r}: {value!r}")


def _check(definitions: dict[str, Any]) -> int:
    importlib.import_module("headrace.ops").declare_all()
    registry = importlib.import_module("headrace.core.registry").REGISTRY
    wrong = 0
    for op_type, declaration in sorted(registry.items()):
        definition = definitions.get(op_type)
        if definition is None:
            print(f"{op_type}: not an op type of the definitions")
            continue
        for difference in differences(declaration.signature, signature_from_def(op_type, definition)):
            wrong += 1
            print(f"{op_type}: {difference}")
    print(f"{len(registry)} op types declared, {wrong} differences")
    return 1 if wrong else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Signature lines of TensorFlow's op types.")
    parser.add_argument("op_types", nargs="*", metavar="OPTYPE")
    parser.add_argument("--op-defs", type=Path, default=DEFAULT_OP_DEFS, help="a JSON file (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="compare every declared op with its definition")
    options = parser.parse_args(arguments)
    definitions = json.loads(options.op_defs.read_text(encoding="utf-8"))
    if options.check:
        return _check(definitions)
    unknown = [op_type for op_type in options.op_types if op_type not in definitions]
    for op_type in options.op_types:
        if op_type not in unknown:
            signature = signature_from_def(op_type, definitions[op_type])
            stateful = ", stateful=True" if signature.stateful else ""
            print(f'op("{op_type}", {json.dumps(signature_text(signature))}{stateful})')
    for op_type in unknown:
        print(f"{op_type}: no such op type", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    raise SystemExit(main())
