"""Damaged and hostile graphs, SavedModels and event files: an answer that names the file, never anything else."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import shutil
import sys

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.messages import protos
from headrace.saved_model.loading import SavedModelLoader, asset_tensors

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import changed

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"
# What `import_graph_def` says of a message, as in 1.x, and what is said of files.
OF_MESSAGES = (tf.errors.OpError, ValueError)
OF_FILES = (
    tf.errors.DataLossError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.UnimplementedError,
    tf.errors.FailedPreconditionError,
    OSError,  # of SavedModels, as in 1.x
    UnicodeDecodeError,  # of .meta files that are no text either, as in 1.x
)


def refused_with(path, function, *arguments, **keywords):
    """Whether a file is refused; the answer must name it, and be of one of these classes."""
    try:
        function(*arguments, **keywords)
    except OF_FILES as error:
        assert str(path) in str(error)  # noqa: PT017  there may be no error
        return True
    return False


@functools.cache
def whole(name):
    return (FIXTURES / name).read_bytes()


@st.composite
def damaged(draw, name):
    data = bytearray(whole(name))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["flip", "cut", "repeat"]))
        if kind == "flip":
            data[place] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[place : place + draw(st.integers(1, 40))]
        else:
            data[place:place] = data[place : place + 20]
        if not data:
            break
    return bytes(data)


@functools.cache
def parsed(name, kind):
    return kind.FromString(whole(name))


def bytes_of(message):
    return message.SerializeToString()


def damaged_or_changed(name, kind):
    return st.one_of(damaged(name), changed(parsed(name, kind)).map(bytes_of))


def run_what_is_there(graph, session):
    for operation in graph.get_operations()[-4:]:
        # An op that stands where it cannot run, such as NextIteration outside of a loop, is told by name.
        with contextlib.suppress(*OF_MESSAGES, NotImplementedError):
            session.run(operation)


@settings(deadline=None, max_examples=120)
@given(damaged_or_changed("frozen.pb", protos.GraphDef))
def test_graphs(data):
    graph_def = tf.GraphDef()
    try:
        graph_def.ParseFromString(data)
    except DecodeError:
        return
    with tf.Graph().as_default() as graph, tf.Session() as session, contextlib.suppress(*OF_MESSAGES):
        tf.import_graph_def(graph_def, name="")
        run_what_is_there(graph, session)


@settings(deadline=None, max_examples=40)
@given(damaged_or_changed("mlp/model.meta", protos.MetaGraphDef))
def test_meta_graphs(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("meta") / "model.meta"
    path.write_bytes(data)
    with tf.Graph().as_default():
        refused_with(path, tf.train.import_meta_graph, str(path))


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(["saved_model", "../saved_model_tf2"]), st.data())
def test_saved_models(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("saved") / "model"
    shutil.copytree(FIXTURES / name, folder)
    (folder / "saved_model.pb").write_bytes(data.draw(damaged_or_changed(f"{name}/saved_model.pb", protos.SavedModel)))
    before = sorted(folder.parent.rglob("*"))
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            refused_with(folder, tf.saved_model.loader.load, session, ["serve"], str(folder))
        except RuntimeError as error:
            assert "associated with tags" in str(error)  # noqa: PT017  the only RuntimeError there is
    assert sorted(folder.parent.rglob("*")) == before


@settings(deadline=None, max_examples=40)
@given(damaged("events/events.out.tfevents.fixture"))
def test_event_files(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("events") / "events.out.tfevents.1"
    path.write_bytes(data)
    said = str(path)
    try:
        list(tf.train.summary_iterator(str(path)))
    except tf.errors.DataLossError as error:
        said = error.message
    assert str(path) in said


def saved(folder, build):
    """A SavedModel that someone else put together."""
    with tf.Graph().as_default() as graph:
        build()
        meta = tf.train.export_meta_graph(graph=graph)
    meta.meta_info_def.tags.append("serve")
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(
        protos.SavedModel(saved_model_schema_version=1, meta_graphs=[meta]).SerializeToString()
    )
    return str(folder)


def load(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        return tf.saved_model.loader.load(session, ["serve"], folder)


def test_python_functions_are_refused_by_name(tmp_path):
    called = []
    folder = saved(tmp_path / "m", lambda: tf.py_func(called.append, [tf.constant(1.0)], [], name="hidden"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"hidden \(PyFunc\)"):
        load(folder)
    assert not called


def test_a_model_that_would_write_when_loaded_is_refused(tmp_path):
    target = tmp_path / "outside"

    def build():
        op = (
            tf.io.write_file(str(target), "x")
            if hasattr(tf.io, "write_file")
            else tf.raw_ops.SaveV2(
                prefix=str(target), tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]
            )
        )
        tf.add_to_collection("saved_model_main_op", tf.group(op))

    with pytest.raises(tf.errors.InvalidArgumentError, match="would write files"):
        load(saved(tmp_path / "m", build))
    assert not target.exists()


def test_a_name_that_is_fed_when_a_model_is_loaded_is_no_constant(tmp_path):
    """The graph says that the cache is in memory; the loader would give it the name of an asset."""
    folder = tmp_path / "m"
    with tf.Graph().as_default() as graph:
        name = tf.constant("", name="name")
        dataset = tf.data.Dataset.range(3)
        cached = tf.raw_ops.CacheDataset(
            input_dataset=dataset._variant_tensor, filename=name, output_types=[tf.int64], output_shapes=[[]]
        )
        iterator = tf.raw_ops.Iterator(shared_name="", container="", output_types=[tf.int64], output_shapes=[[]])
        made = tf.raw_ops.MakeIterator(dataset=cached, iterator=iterator)
        with tf.control_dependencies([made]):
            tf.add_to_collection(
                "saved_model_main_op",
                tf.raw_ops.IteratorGetNext(iterator=iterator, output_types=[tf.int64], output_shapes=[[]])[0].op,
            )
        meta = tf.train.export_meta_graph(graph=graph)
    meta.meta_info_def.tags.append("serve")

    def write():
        (folder / "saved_model.pb").write_bytes(
            protos.SavedModel(saved_model_schema_version=1, meta_graphs=[meta]).SerializeToString()
        )

    folder.mkdir()
    write()
    load(str(folder))
    meta.asset_file_def.add(filename="vocabulary.txt").tensor_info.name = "name:0"
    write()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"would write files .* \(CacheDataset\)"):
        load(str(folder))


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "..\\b"])
def test_assets_outside_of_the_folder_are_refused(name):
    meta = protos.MetaGraphDef()
    meta.asset_file_def.add(filename=name).tensor_info.name = "a:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside of its folder"):
        asset_tensors("/model", meta)


def test_assets_as_tensorflow_names_them():
    meta = protos.MetaGraphDef()
    described = protos.AssetFileDef(filename="words.txt")
    described.tensor_info.name = "asset:0"
    packed = meta.collection_def["saved_model_assets"].any_list.value.add()
    packed.type_url, packed.value = "type.googleapis.com/tensorflow.AssetFileDef", described.SerializeToString()
    assert asset_tensors("/model", meta, "scope") == {"scope/asset:0": "/model/assets/words.txt"}
    packed.value = b"\xff"
    with pytest.raises(tf.errors.DataLossError, match="/model"):
        asset_tensors("/model", meta)


def test_what_is_no_saved_model_is_told_with_its_path(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(OSError, match=r"saved_model\.pb"):
        SavedModelLoader(tmp_path)
    (tmp_path / "saved_model.pb").unlink()
    (tmp_path / "saved_model.pbtxt").write_text("meta_graphs { nonsense: 1 }")
    with pytest.raises(OSError, match="nonsense"):
        SavedModelLoader(tmp_path)
    with pytest.raises(OSError, match="does not exist"):
        SavedModelLoader(tmp_path / "none")


def test_deeply_nested_text_is_an_answer(tmp_path):
    path = tmp_path / "deep.meta"
    path.write_text("graph_def { node { attr { key: 'a' value { list { " + "func { attr { value { list { " * 2000)
    with pytest.raises(OSError, match=r"deep\.meta"):
        tf.train.import_meta_graph(str(path))


def constant(dtype, value_dtype, *sizes, **values):
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="c", op="Const")
    node.attr["dtype"].type = dtype
    tensor = node.attr["value"].tensor
    tensor.dtype = value_dtype
    for size in sizes:
        tensor.tensor_shape.dim.add(size=size)
    for field, items in values.items():
        getattr(tensor, field).extend(items)
    return graph_def


def node(op_type, **attrs):
    graph_def = constant(1, 1, 4, float_val=[1.0])
    made = graph_def.node.add(name="n", op=op_type, input=["c"])
    for name, value in attrs.items():
        made.attr[name].CopyFrom(value)
    return graph_def


INT, TYPE = (lambda i: protos.AttrValue(i=i)), (lambda t: protos.AttrValue(type=t))


@pytest.mark.parametrize(
    ("graph_def", "words"),
    [
        (constant(1, 1, 2**40, 2, float_val=[1.0, 2.0]), "asks for"),
        (constant(1, 1, -3, float_val=[1.0]), "fully known shape"),
        (constant(20, 1, 1, float_val=[1.0]), "not of the type"),
        (node("Identity", T=INT(1)), "type 'i' when 'type' expected"),
        (node("Identity", T=protos.AttrValue()), "missing value"),
        (node("Identity", T=TYPE(999)), "999"),
        (node("Identity", T=TYPE(1), strange=INT(1)), "NodeDef mentions attr 'strange'"),
        (node("Unpack", T=TYPE(1), num=INT(2**40)), "asks for 1099511627776 outputs"),
        (tf.GraphDef(versions=protos.VersionDef(min_consumer=9999)), "min consumer version"),
        (tf.GraphDef(versions=protos.VersionDef(bad_consumers=[134])), "disallows"),
    ],
)
def test_hostile_graphs_are_refused_as_in_1x(tmp_path, graph_def, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.import_graph_def(graph_def, name="")
    path = tmp_path / "model.meta"
    path.write_bytes(bytes_of(protos.MetaGraphDef(graph_def=graph_def)))
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
        tf.train.import_meta_graph(str(path))
    assert str(path) in caught.value.message


def test_one_element_that_stands_for_very_many_takes_no_memory():
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(constant(1, 1, 2**40, 2**18, float_val=[1.0]), name="")
        assert graph.get_tensor_by_name("c:0").shape.as_list() == [2**40, 2**18]


def test_op_types_that_are_not_declared_are_named(tmp_path):
    path = tmp_path / "model.meta"
    path.write_bytes(bytes_of(protos.MetaGraphDef(graph_def=node("Nope"))))
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match="Nope") as caught:
        tf.train.import_meta_graph(str(path))
    assert str(path) in caught.value.message
    assert isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize(("default", "taken"), [(3, True), (4, False), (None, False)])
def test_attributes_with_the_defaults_of_their_producer_are_left_out(default, taken):
    graph_def = node("Identity", T=TYPE(1), strange=INT(3))
    ops = protos.OpList()
    described = ops.op.add(name="Identity").attr.add(name="strange", type="int")
    if default is not None:
        described.default_value.i = default
    with tf.Graph().as_default() as graph:
        if taken:
            tf.import_graph_def(graph_def, producer_op_list=ops)
            assert "strange" not in graph.get_operation_by_name("import/n").node_def.attr
            assert "strange" in graph_def.node[1].attr
        else:
            with pytest.raises(ValueError, match="strange"):
                tf.import_graph_def(graph_def, producer_op_list=ops)
        with pytest.raises(AttributeError, match="producer_op_list"):
            tf.import_graph_def(graph_def, producer_op_list=3)
