"""Lists of transforms as text, and their application one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from headrace.core.errors import InvalidArgumentError, OpError
from headrace.graph_tools.transforms import attributes, constants, convolutions, structure
from headrace.graph_tools.transforms.registry import TRANSFORMS, Parameters, Transform, flag
from headrace.messages import protos
from headrace.util import tf_logging

# Modules of transforms, imported for what they declare.
_DECLARING = (attributes, constants, convolutions, structure)

# Transforms of 1.15 that are not here, by the reason.
_REASONS = {
    "quantized kernels are of no use on PyTorch; `quantize_weights` makes a graph small": (
        "fake_quantize_training freeze_requantization_ranges hexagon_fuse_quantize quantize_nodes"
    ),
    "what it fuses is fused when the graph is planned": (
        "fuse_convolutions fuse_pad_and_conv fuse_resize_and_conv fuse_resize_pad_and_conv"
    ),
    "Headrace reads graphs of all versions, and writes those of 1.15": "backport_concatv2 backport_tensor_array_v3",
}
_NOT_HERE = {name: reason for reason, names in _REASONS.items() for name in names.split()}

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_PARAMETER = re.compile(r"""\s*([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,()"']+))\s*,?""")


def TransformGraph(
    input_graph_def: protos.GraphDef, inputs: Sequence[str], outputs: Sequence[str], transforms: Sequence[str]
) -> protos.GraphDef:
    """Applies transforms to a graph, one after the other.

    Args:
        input_graph_def: the graph, usually a frozen one; it is not changed.
        inputs: names of the nodes that will be fed.
        outputs: names of the nodes that will be fetched.
        transforms: names of transforms, each with its parameters in parentheses, as in
            `'remove_nodes(op=Identity, op=CheckNumerics)'`; one text may hold several. With `ignore_errors=true` one that
            fails leaves the graph as it is.

    Returns:
        another GraphDef.

    Raises:
        InvalidArgumentError: if there is no such transform, a parameter is missing or malformed, or an output is lost.
        NotImplementedError: for transforms of 1.15 that are not here; the text says what to do instead.

    Example:
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.placeholder(tf.float32, [None], name="x")
        ...     y = tf.add(tf.identity(x), tf.constant(2.0) * 3.0, name="y")
        >>> smaller = TransformGraph(graph.as_graph_def(), ["x"], ["y"], ["fold_constants", "remove_nodes(op=Identity)"])
        >>> sorted(node.op for node in smaller.node)
        ['Add', 'Const', 'Placeholder']
    """
    graph_def = protos.GraphDef()
    graph_def.CopyFrom(input_graph_def)
    for text in transforms:
        for transform, parameters in _parsed(text):
            before = protos.GraphDef()
            before.CopyFrom(graph_def)
            try:
                graph_def = transform(graph_def, list(inputs), list(outputs), parameters)
            except OpError as error:
                if not flag(parameters, "ignore_errors"):
                    raise
                tf_logging.error("%s: Ignoring error %s", transform.__name__, error.message)
                graph_def = before
            names = {node.name for node in graph_def.node}
            for output in outputs:
                if output.partition(":")[0].removeprefix("^") not in names:
                    raise InvalidArgumentError(None, None, f"Input node {output} not found in graph")
    return graph_def


def _parsed(text: str) -> Iterator[tuple[Transform, Parameters]]:
    """The transforms that a text names, with their parameters."""
    at = 0
    while text[at:].strip():
        match = _NAME.match(text, at)
        if match is None:
            raise InvalidArgumentError(None, None, f"Looking for a transform's name, but found: {text[at:]!r}")
        name, at = match[1], match.end()
        parameters: Parameters = {}
        if text[at : at + 1] == "(":
            at += 1
            while found := _PARAMETER.match(text, at):
                key, at = found[1], found.end()
                parameters.setdefault(key, []).append(next(v for v in found.groups()[1:] if v is not None))
            rest = text[at:].lstrip()
            if rest[:1] not in (")", ""):
                raise InvalidArgumentError(None, None, f"Looking for a parameter of {name}, but found: {rest!r}")
            at = len(text) - len(rest) + 1
        yield _transform(name), parameters


def _transform(name: str) -> Transform:
    if name in TRANSFORMS:
        return TRANSFORMS[name]
    if name in _NOT_HERE:
        raise NotImplementedError(f"Transform '{name}' is not here: {_NOT_HERE[name]}.")
    raise InvalidArgumentError(None, None, f"Transform '{name}' not recognized.")
