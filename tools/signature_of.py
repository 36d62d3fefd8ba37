"""Print the signature lines of TensorFlow's op types, or compare what is declared here with them.

    python tools/signature_of.py MatMul Conv2D
    python tools/signature_of.py --check

The op definitions are those of TensorFlow 1.15.5, recorded by tools/oracle/record_api.py in tests/facts.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from headrace.api.op_index import declare_all  # noqa: E402  the path above comes first
from headrace.core.dtypes import as_dtype  # noqa: E402  likewise
from headrace.core.registry import REGISTRY  # noqa: E402  likewise
from headrace.core.signature import Arg, Attr, Signature, signature_text  # noqa: E402  likewise

OP_DEFS = ROOT / "tests" / "facts" / "op_defs.json"


def signature_from_def(op_type: str, definition: dict[str, Any]) -> Signature:
    """The Signature of an op definition, its attributes in the order of the definition."""
    inputs = tuple(_arg(arg) for arg in definition["inputs"])
    outputs = tuple(_arg(arg) for arg in definition["outputs"])
    attrs = {name: _attr(name, attr) for name, attr in definition["attrs"].items()}
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
    # The order in which values are allowed means nothing, and every count and length is 0 at least.
    default = attr.default
    if attr.kind == "tensor" and attr.has_default:
        default = (default.dtype, default.tolist())
    return (
        attr.name,
        attr.kind,
        attr.has_default,
        default,
        attr.allowed and frozenset(attr.allowed),
        attr.minimum or None,
    )


def _arg(arg: dict[str, Any]) -> Arg:
    return Arg(
        arg["name"],
        as_dtype(arg["type"]) if "type" in arg else None,
        arg.get("type_attr"),
        arg.get("number_attr"),
        arg.get("type_list_attr"),
        arg.get("is_ref", False),
    )


def _attr(name: str, attr: dict[str, Any]) -> Attr:
    kind = attr["type"]
    element = kind[5:-1] if kind.startswith("list(") else kind
    default = None
    if kind.startswith("list(") and "default" in attr:
        default = [_value(element, value) for value in attr["default"]]
    elif "default" in attr:
        default = _value(kind, attr["default"])
    allowed = tuple(_value(element, value) for value in attr["allowed"]) if "allowed" in attr else None
    return Attr(name, kind, default, "default" in attr, allowed, attr.get("minimum"))


def _value(kind: str, value: Any) -> Any:
    if kind == "type":
        return as_dtype(value)
    if kind == "shape":
        return None if value is None else tuple(value)
    if kind == "tensor":
        return numpy.array(value["value"], dtype=as_dtype(value["dtype"]).as_numpy_dtype)
    return value


def _check(definitions: dict[str, Any]) -> int:
    declare_all()
    wrong = 0
    for op_type, declaration in sorted(REGISTRY.items()):
        definition = definitions.get(op_type)
        if definition is None:
            print(f"{op_type}: not an op type of the definitions")
            continue
        for difference in differences(declaration.signature, signature_from_def(op_type, definition)):
            wrong += 1
            print(f"{op_type}: {difference}")
    print(f"{len(REGISTRY)} op types declared, {wrong} differences")
    return 1 if wrong else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Signature lines of TensorFlow's op types.")
    parser.add_argument("op_types", nargs="*", metavar="OPTYPE")
    parser.add_argument("--op-defs", type=Path, default=OP_DEFS, help="a JSON file (default: %(default)s)")
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
