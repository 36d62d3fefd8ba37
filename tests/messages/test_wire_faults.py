"""Damage in files of graphs is told with the byte it is at."""

from __future__ import annotations

import pathlib
import random
import re

import pytest
from google.protobuf.message import DecodeError

import headrace as tf
from headrace.messages import protos
from headrace.messages.graph_files import read_message
from headrace.messages.wire_faults import first_fault, offset_of_node

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"
FILES = [
    ("frozen.pb", protos.GraphDef),
    ("mlp/model.meta", protos.MetaGraphDef),
    ("saved_model/saved_model.pb", protos.SavedModel),
    ("../saved_model_tf2/saved_model.pb", protos.SavedModel),
]


def damaged(whole, generator):
    data = bytearray(whole)
    if generator.random() < 0.4:
        data = data[: generator.randrange(len(data))]
    for _ in range(generator.randrange(1, 4)):
        if data:
            data[generator.randrange(len(data))] = generator.randrange(256)
    return bytes(data)


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_a_fault_is_found_where_parsing_fails_and_only_there(name, kind):
    whole, generator = (FIXTURES / name).read_bytes(), random.Random(7)
    assert first_fault(whole, kind.DESCRIPTOR) is None
    for _ in range(40):
        data = damaged(whole, generator)
        fault = first_fault(data, kind.DESCRIPTOR)
        try:
            kind.FromString(data)
        except DecodeError:
            assert fault is not None
            assert 0 <= fault.offset < max(1, len(data))
        else:
            assert fault is None


@pytest.mark.parametrize(
    ("data", "offset", "words"),
    [
        (b"\x0a\x05abc", 0, "5 bytes where 3 are left"),
        (b"\x08", 0, "does not end"),
        (b"\x0a\x04\x0a\x02\xff\xfe", 4, "not UTF-8"),
        (b"\x0a\x03\x12\x01x\x0f", 5, "wire type 7"),
        (b"\x0a\x03\x12\x01x\x0c", 5, "begins none"),
        (b"\x0a\x03\x12\x01x\x00\x00", 5, "number 0"),
        (b"\x0a\x03\x12\x01x\x23\x0b", 5, "does not end"),
        (b"\x0a\x03\x12\x01x" + b"\xff" * 11, 5, "64 bits"),
    ],
)
def test_faults_by_offset(data, offset, words):
    fault = first_fault(data, protos.GraphDef.DESCRIPTOR)
    assert fault is not None
    assert fault.offset == offset
    assert words in str(fault)
    with pytest.raises(DecodeError):
        protos.GraphDef.FromString(data)


def test_nested_faults_name_their_field(tmp_path):
    graph_def = protos.GraphDef()
    graph_def.node.add(name="a", op="NoOp")
    graph_def.node.add(name="b", op="NoOp").attr["x"].list.i.extend([1, 300])
    data = bytearray(graph_def.SerializeToString())
    data[data.index(b"\xac\x02") + 1] = 0x82  # 300: its last byte now says that more follow
    path = tmp_path / "graph.pb"
    path.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=r"byte \d+ in node\[1\]\.attr\.value\.list\.i") as caught:
        read_message(path, protos.GraphDef())
    assert str(path) in caught.value.message


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def test_text_is_told_with_its_byte(tmp_path):
    path = tmp_path / "graph.pbtxt"
    path.write_text('node { name: "ä" }\nnode { nom: "b" }\n')
    with pytest.raises(tf.errors.DataLossError, match="byte 27") as caught:
        read_message(path, protos.GraphDef())
    assert "nom" in caught.value.message


def test_what_does_not_fit_is_told_with_the_byte_of_its_node(tmp_path):
    meta = protos.MetaGraphDef()
    meta.graph_def.node.add(name="before", op="NoOp")
    node = meta.graph_def.node.add(name="wrong", op="Identity", input=["nowhere"])
    node.attr["T"].type = 1
    data = meta.SerializeToString()
    path = tmp_path / "model.meta"
    path.write_bytes(data)
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="nowhere") as caught:
        tf.train.import_meta_graph(str(path))
    offset = int(re.search(r"'wrong' at byte (\d+)", caught.value.message)[1])
    assert data[offset:].startswith(b"\x0a" + varint(node.ByteSize()) + node.SerializeToString()[:7])
    assert offset_of_node(data, meta.DESCRIPTOR, "wrong") == offset
    assert offset_of_node(data, meta.DESCRIPTOR, "none") is None
    node.op = "Nope"
    path.write_bytes(meta.SerializeToString())
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match=r"Nope.*'wrong' at byte"):
        tf.train.import_meta_graph(str(path))


def library_with(op_type):
    graph_def = tf.GraphDef()
    function = graph_def.library.function.add()
    function.signature.name = "strange_one"
    function.signature.input_arg.add(name="x", type=1)
    function.signature.output_arg.add(name="y", type=1)
    node = function.node_def.add(name="n", op=op_type, input=["x"])
    node.attr["T"].type = 1
    function.ret["y"] = "n:y:0"
    graph_def.node.add(name="a", op="Placeholder").attr["dtype"].type = 1
    graph_def.node.add(name="doubled", op="Identity", input=["a"]).attr["T"].type = 1
    graph_def.node.add(name="called", op="strange_one", input=["a"])
    partitioned = graph_def.node.add(name="partitioned", op="PartitionedCall", input=["a"])
    partitioned.attr["f"].func.name = "strange_one"
    partitioned.attr["Tin"].list.type.append(1)
    partitioned.attr["Tout"].list.type.append(1)
    return graph_def


def test_functions_with_undeclared_ops_fail_when_they_are_used():
    graph_def = library_with("NobodyDeclaresThis")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        assert session.run("doubled:0", {"a:0": 3.0}) == 3.0
        for name in ("called:0", "partitioned:0"):
            with pytest.raises(tf.errors.NotFoundError, match=r"'strange_one'.*NobodyDeclaresThis"):
                session.run(name, {"a:0": 3.0})
        # Exported, it is what it was.
        assert graph.as_graph_def().library.function[0] == graph_def.library.function[0]


def test_where_operations_were_made_is_written_beside_the_graph(tmp_path):
    from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo

    with tf.Graph().as_default():
        tf.add(1.0, 2.0, name="sum")
        tf.train.export_meta_graph(str(tmp_path / "model-3.meta"), save_debug_info=True)
    found = GraphDebugInfo.FromString((tmp_path / "model-3.debug").read_bytes())
    places = found.traces["sum"].file_line_cols
    assert __file__ in [found.files[place.file_index] for place in places]
