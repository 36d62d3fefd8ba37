"""What a transform is, and what several of them ask of graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headrace.core.errors import InvalidArgumentError
from headrace.core.shapes import TensorShape
from headrace.messages import protos

Parameters = dict[str, list[str]]
Transform = Callable[[protos.GraphDef, list[str], list[str], Parameters], protos.GraphDef]

TRANSFORMS: dict[str, Transform] = {}


def transform(function: Transform) -> Transform:
    """Declares a transform, under the name of its function."""
    TRANSFORMS[function.__name__] = function
    return function


def one(parameters: Parameters, key: str, default: str | None = None) -> str:
    """The value of a parameter that is given once.

    Raises:
        InvalidArgumentError: if it is missing and has no default, or is given several times.
    """
    values = parameters.get(key, [] if default is None else [default])
    if len(values) != 1:
        raise InvalidArgumentError(None, None, f"expects exactly one '{key}' argument, and got {len(values)}")
    return values[0]


def flag(parameters: Parameters, key: str, default: bool = False) -> bool:
    """A parameter that is true or false."""
    text = one(parameters, key, str(default)).lower()
    if text in ("true", "t", "1"):
        return True
    if text in ("false", "f", "0"):
        return False
    raise InvalidArgumentError(None, None, f"'{key}' is true or false, not '{text}'")


def number(parameters: Parameters, key: str, default: int) -> int:
    """A parameter that is a whole number."""
    text = one(parameters, key, str(default))
    try:
        return int(text)
    except ValueError:
        raise InvalidArgumentError(None, None, f"'{key}' is a whole number, not '{text}'") from None


def shape(text: str) -> TensorShape:
    """The shape that "1,224,224,3" means; "" is that of a number."""
    try:
        return TensorShape([int(size) for size in text.split(",") if size.strip()])
    except ValueError:
        raise InvalidArgumentError(None, None, f"A shape is sizes divided by commas, not '{text}'") from None


def node_name(text: str) -> str:
    """The node of an input, without its output's number or the sign of a control edge."""
    return text.removeprefix("^").partition(":")[0]


def with_nodes(graph_def: protos.GraphDef, nodes: Sequence[protos.NodeDef]) -> protos.GraphDef:
    """A graph of other nodes, with the versions and functions of one."""
    made = protos.GraphDef(node=nodes)
    made.versions.CopyFrom(graph_def.versions)
    made.library.CopyFrom(graph_def.library)
    return made


def rename_inputs(nodes: Sequence[protos.NodeDef], renamed: dict[str, str]) -> None:
    """Lets nodes take other inputs.

    Args:
        nodes: they are changed.
        renamed: an old tensor (as "name", without ":0") or node to the new one; a node's name stands for its first output
            and its control edges.
    """
    for node in nodes:
        for i, text in enumerate(node.input):
            if text.startswith("^"):
                if text[1:] in renamed:
                    node.input[i] = f"^{node_name(renamed[text[1:]])}"
            elif text.removesuffix(":0") in renamed:
                node.input[i] = renamed[text.removesuffix(":0")]
            elif node_name(text) in renamed and ":" not in renamed[node_name(text)]:
                node.input[i] = f"{renamed[node_name(text)]}:{text.partition(':')[2]}"
