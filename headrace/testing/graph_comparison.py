"""Checks of graphs in tests: which operations they have, and whether two are equal."""

from __future__ import annotations

import re

from headrace.core.framework_ops import get_collection_proto_type
from headrace.core.graph import Graph
from headrace.messages import protos
from headrace.testing.assertions import Assertions


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Graph) -> dict[str, protos.NodeDef]:
    """Checks that a graph has operations of given names and types.

    Args:
        expected_ops: operation name to op type.
        graph: the graph.

    Returns:
        the names to the NodeDefs.

    Raises:
        ValueError: if one is missing or of another type.
    """
    found = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, node in found.items():
        if node.op != expected_ops[name]:
            raise ValueError(f"Expected op for node {name} is different. {expected_ops[name]} vs {node.op}")
    if set(found) != set(expected_ops):
        raise ValueError(f"Not all expected ops are present. Expected {expected_ops.keys()}, found {found.keys()}")
    return found


# What savers name the shards of a checkpoint before they are merged, and tables that were given no name.
_RANDOM_SHARD = re.compile(rb"_temp_[0-9a-z]{32}/part")
_RANDOM_TABLE = re.compile(rb"hash_table_[0-9a-z\-]+")


def _without_random_names(node: protos.NodeDef, checkpoint_v2: bool, hash_table_shared_name: bool) -> protos.NodeDef:
    """A copy of a node; the arguments are those of `assert_equal_graph_def`."""
    node = type(node).FromString(node.SerializeToString())
    for key in list(node.attr):
        strings = node.attr[key].tensor.string_val
        if checkpoint_v2 and len(strings) == 1 and _RANDOM_SHARD.match(strings[0]):
            del node.attr[key]
    if hash_table_shared_name and node.op == "HashTableV2" and _RANDOM_TABLE.match(node.attr["shared_name"].s):
        del node.attr["shared_name"]
    return node


def assert_equal_graph_def(
    actual: protos.GraphDef,
    expected: protos.GraphDef,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """Checks that two GraphDefs have the same nodes, in any order; control inputs may stand in any order too.

    Args:
        actual, expected: `GraphDef` messages.
        checkpoint_v2: whether to leave out the random names of shards of checkpoints.
        hash_table_shared_name: whether to leave out the random names of tables.

    Raises:
        TypeError: if one is no GraphDef.
        AssertionError: if they differ; it names the first node that does.
    """
    for which, graph_def in (("actual", actual), ("expected", expected)):
        if not isinstance(graph_def, protos.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {which}, got {type(graph_def).__name__}")
    mine, theirs = (
        {node.name: _without_random_names(node, checkpoint_v2, hash_table_shared_name) for node in graph_def.node}
        for graph_def in (actual, expected)
    )
    for name, node in theirs.items():
        if name not in mine:
            raise AssertionError(f"Did not find expected node '{_summary(node)}'")
        difference = _node_difference(mine[name], node)
        if difference:
            raise AssertionError(difference)
    for name, node in mine.items():
        if name not in theirs:
            raise AssertionError(f"Found unexpected node '{_summary(node)}'")


assert_equal_graph_def_v1 = assert_equal_graph_def


def assert_equal_graph_def_v2(expected: protos.GraphDef, actual: protos.GraphDef) -> None:
    """`assert_equal_graph_def` with the arguments in the order of TensorFlow 2, random names left out."""
    assert_equal_graph_def(actual, expected, checkpoint_v2=True, hash_table_shared_name=True)


def _summary(node: protos.NodeDef) -> str:
    """`{{node name}} = Op[T=DT_FLOAT](input, ^control)`, roughly as TensorFlow prints it."""
    attrs = ", ".join(f"{key}={str(node.attr[key]).strip()}" for key in sorted(node.attr))
    return f"{{{{node {node.name}}}}} = {node.op}[{attrs}]({', '.join(node.input)})"


def _node_difference(mine: protos.NodeDef, theirs: protos.NodeDef) -> str | None:
    """The first thing in which a node is not the expected one, as a sentence; None if there is none."""
    where = f"Node named '{mine.name}'"
    if mine.op != theirs.op:
        return f"{where} has op '{mine.op}' that is not expected '{theirs.op}'"
    if mine.device != theirs.device:
        return f"{where} has device '{mine.device}' that is not expected '{theirs.device}'"
    data = [[text for text in node.input if not text.startswith("^")] for node in (mine, theirs)]
    if len(data[0]) != len(data[1]):
        return f"{where} has {len(data[0])} inputs that don't match the expected {len(data[1])}"
    for i, (one, other) in enumerate(zip(*data)):
        if one.removesuffix(":0") != other.removesuffix(":0"):
            return f"{where} has input {i} '{one}' that doesn't match expected '{other}'"
    controls = [sorted(text for text in node.input if text.startswith("^")) for node in (mine, theirs)]
    if controls[0] != controls[1]:
        return f"{where} has control inputs {controls[0]} that don't match expected {controls[1]}"
    for key in sorted({*mine.attr, *theirs.attr}):
        # Attributes that begin with an underscore are notes; only those expected count.
        if key not in theirs.attr:
            if key.startswith("_"):
                continue
            return f"{where} has unexpected attr '{key}' with value: {mine.attr[key]}"
        if key not in mine.attr:
            return f"{where} missing expected attr '{key}' with value: {theirs.attr[key]}"
        if mine.attr[key] != theirs.attr[key]:
            return f"{where} has attr '{key}' that is {mine.attr[key]}, not the expected {theirs.attr[key]}"
    return None


def assert_meta_graph_protos_equal(tester: Assertions, a: protos.MetaGraphDef, b: protos.MetaGraphDef) -> None:
    """Checks in a test case that two MetaGraphDefs are equal.

    Args:
        tester: a `tf.test.TestCase`.
        a, b: `MetaGraphDef` messages. Their collections and graphs are compared first and cleared then.

    Raises:
        AssertionError: if they differ.
    """
    if set(a.collection_def) != set(b.collection_def):
        tester.fail(f"Collections differ: {sorted(a.collection_def)} and {sorted(b.collection_def)}.")
    for key in a.collection_def:
        kind = get_collection_proto_type(key)
        one, other = a.collection_def[key], b.collection_def[key]
        if kind is None:
            tester.assertProtoEquals(one, other)
            continue
        if len(one.bytes_list.value) != len(other.bytes_list.value):
            tester.fail(f"The collection {key!r} differs in length.")
        for x, y in zip(one.bytes_list.value, other.bytes_list.value):
            tester.assertProtoEquals(kind.FromString(x), kind.FromString(y))
    assert_equal_graph_def(a.graph_def, b.graph_def, checkpoint_v2=True)
    tester.assertProtoEquals(a.graph_def.versions, b.graph_def.versions)
    for message in (a, b):
        message.ClearField("collection_def")
        message.ClearField("graph_def")
    tester.assertProtoEquals(a, b)


def get_node_def_from_graph(node_name: str, graph_def: protos.GraphDef) -> protos.NodeDef | None:
    """The node of a GraphDef that has a name, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)
