"""Graphs of a few bytes that speak of huge sizes: importing takes no time or memory for them, running refuses them."""

from __future__ import annotations

import gzip
import tracemalloc

import numpy as np
import pytest

import headrace as tf
from headrace.messages import protos

FLOAT, INT, STRING, LONG = 1, 3, 7, 9
FIELDS = {FLOAT: "float_val", INT: "int_val", STRING: "string_val", LONG: "int64_val"}
# A constant of one element, and an import that looks at the others, takes megabytes at most.
MEMORY = 64 << 20
HUGE = 1 << 33


def ints(values):
    return protos.AttrValue(list=protos.AttrValue.ListValue(i=values))


class Nodes:
    """A GraphDef that grows node by node."""

    def __init__(self):
        self.graph_def = tf.GraphDef()

    def constant(self, name, kind, values, dims=()):
        node = self.graph_def.node.add(name=name, op="Const")
        node.attr["dtype"].type = kind
        tensor = node.attr["value"].tensor
        tensor.dtype = kind
        tensor.tensor_shape.SetInParent()
        for size in dims:
            tensor.tensor_shape.dim.add(size=size)
        getattr(tensor, FIELDS[kind]).extend(values)

    def placeholder(self, name, kind, dims):
        shape = self.graph_def.node.add(name=name, op="Placeholder").attr
        shape["dtype"].type = kind
        shape["shape"].shape.SetInParent()
        for size in dims:
            shape["shape"].shape.dim.add(size=size)

    def add(self, op, name, inputs, types=None, **attrs):
        node = self.graph_def.node.add(name=name, op=op, input=inputs)
        for key, value in (types or {}).items():
            node.attr[key].type = value
        for key, value in attrs.items():
            if isinstance(value, protos.AttrValue):
                node.attr[key].CopyFrom(value)
            elif isinstance(value, bool):
                node.attr[key].b = value
            elif isinstance(value, bytes):
                node.attr[key].s = value
            else:
                node.attr[key].i = value

    def reshape(self, shape, kind=INT):
        self.constant("x", FLOAT, [1.0])
        self.add("Reshape", "out", ["x", shape], {"T": FLOAT, "Tshape": kind})

    def hashed(self, text):
        """Asks the import for a number computed from a text."""
        self.add("StringToHashBucketFast", "hash", [text], num_buckets=1 << 30)
        self.add("Pack", "sizes", ["hash"], {"T": LONG}, N=1)
        self.reshape("sizes", LONG)

    def imported(self):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(self.graph_def, name="")
        return graph

    def run(self, fetch="out:0"):
        with tf.Session(graph=self.imported()) as session:
            return session.run(fetch)


def vector_of_one(nodes, name="sizes", count=HUGE, value=1):
    nodes.constant(name, INT, [value], [count])


def reshape_to_one(nodes):
    vector_of_one(nodes)
    nodes.reshape("sizes")


def fill_of_one(nodes):
    vector_of_one(nodes)
    nodes.constant("x", FLOAT, [1.0])
    nodes.add("Fill", "out", ["sizes", "x"], {"T": FLOAT, "index_type": INT})


def sum_over_one(nodes):
    vector_of_one(nodes, value=0)
    nodes.constant("x", FLOAT, [1.0], [1])
    nodes.add("Sum", "out", ["x", "sizes"], {"T": FLOAT, "Tidx": INT}, keep_dims=False)


def unknown_input(op, types, *vectors):
    def build(nodes):
        shape = nodes.graph_def.node.add(name="x", op="Placeholder").attr
        shape["dtype"].type = FLOAT
        shape["shape"].shape.unknown_rank = True
        for index, dims in enumerate(vectors):
            nodes.constant(f"v{index}", INT, [1], dims)
        nodes.add(op, "out", ["x", *(f"v{index}" for index in range(len(vectors)))], {"T": FLOAT} | types)

    build.__name__ = op
    return build


def placeholder_of_sizes(nodes):
    nodes.placeholder("sizes", INT, [HUGE])
    nodes.reshape("sizes")


def fill_of_placeholder(nodes):
    nodes.placeholder("sizes", INT, [HUGE])
    nodes.constant("x", FLOAT, [1.0])
    nodes.add("Fill", "out", ["sizes", "x"], {"T": FLOAT, "index_type": INT})


def range_as_shape(nodes):
    for name, value in (("a", 0), ("b", 1 << 34), ("c", 1)):
        nodes.constant(name, LONG, [value])
    nodes.add("Range", "sizes", ["a", "b", "c"], {"Tidx": LONG})
    nodes.reshape("sizes", LONG)


def tile_as_shape(nodes):
    nodes.constant("a", INT, [1], [1])
    nodes.constant("m", INT, [1 << 30], [1])
    nodes.add("Tile", "sizes", ["a", "m"], {"T": INT, "Tmultiples": INT})
    nodes.reshape("sizes")


def fill_as_shape(nodes):
    nodes.constant("a", INT, [1 << 30], [1])
    nodes.constant("m", INT, [1])
    nodes.add("Fill", "sizes", ["a", "m"], {"T": INT, "index_type": INT})
    nodes.reshape("sizes")


def doubled(first):
    """A vector that is joined with itself again and again."""

    def build(nodes):
        nodes.constant("axis", INT, [0])
        first(nodes)
        for i in range(34):
            nodes.add("ConcatV2", f"n{i + 1}", [f"n{i}", f"n{i}", "axis"], {"T": INT, "Tidx": INT}, N=2)
        nodes.reshape("n34")

    build.__name__ = f"doubled_{first.__name__}"
    return build


def known(nodes):
    nodes.constant("n0", INT, [1], [1])


def fed(nodes):
    nodes.placeholder("n0", INT, [1])


def empty(nodes):
    nodes.placeholder("n0", INT, [0])


def of_places(nodes):
    """Of a size that only the values tell."""
    nodes.constant("flags", INT, [1, 1], [2])
    nodes.add("Where", "places", ["flags"], {"T": INT})
    nodes.constant("flat", INT, [-1], [1])
    nodes.add("Cast", "narrow", ["places"], {"SrcT": LONG, "DstT": INT})
    nodes.add("Reshape", "n0", ["narrow", "flat"], {"T": INT, "Tshape": INT})


def doubled_and_cut(nodes):
    nodes.constant("axis", INT, [0])
    nodes.placeholder("n0", INT, [2])
    for name, value in (("begin", 0), ("end", 2), ("step", 1)):
        nodes.constant(name, INT, [value], [1])
    for i in range(40):
        nodes.add("ConcatV2", f"c{i}", [f"n{i}", f"n{i}", "axis"], {"T": INT, "Tidx": INT}, N=2)
        nodes.add("StridedSlice", f"n{i + 1}", [f"c{i}", "begin", "end", "step"], {"T": INT, "Index": INT})
    nodes.reshape("n40")


def filled_rows(nodes):
    nodes.constant("indices", LONG, [0], [1, 2])
    nodes.constant("values", LONG, [1], [1])
    nodes.constant("shape", LONG, [1 << 40, 1], [2])
    nodes.constant("default", LONG, [1])
    nodes.add("SparseFillEmptyRows", "rows", ["indices", "values", "shape", "default"], {"T": LONG})
    nodes.reshape("rows:1", LONG)


def gathered_pages(nodes):
    nodes.constant("table", INT, [1], [1, 4096])
    nodes.constant("flags", INT, [1], [1, 4096])
    nodes.add("Where", "places", ["flags"], {"T": INT})
    nodes.constant("axis", INT, [0])
    for name, value in (("begin", 0), ("end", 1), ("step", 1)):
        nodes.constant(name, INT, [value] * 2, [2])
    nodes.add(
        *("StridedSlice", "zeros", ["places", "begin", "end", "step"], {"T": LONG, "Index": INT}),
        begin_mask=1,
        end_mask=1,
        shrink_axis_mask=2,
    )
    nodes.add(
        "GatherV2", "pages", ["table", "zeros", "axis"], {"Tparams": INT, "Tindices": LONG, "Taxis": INT}, batch_dims=0
    )
    nodes.constant("flat", INT, [-1], [1])
    nodes.add("Reshape", "sizes", ["pages", "flat"], {"T": INT, "Tshape": INT})
    nodes.reshape("sizes")


def crossed(nodes):
    nodes.constant("indices", LONG, [0], [64, 2])
    nodes.constant("values", LONG, [1], [64])
    nodes.constant("shape", LONG, [1, 64], [2])
    count = 8
    nodes.add(
        "SparseFeatureCross",
        "cross",
        [*["indices"] * count, *["values"] * count, *["shape"] * count],
        {"out_type": LONG, "internal_type": LONG},
        N=count,
        num_buckets=0,
        hashed_output=True,
        sparse_types=protos.AttrValue(list=protos.AttrValue.ListValue(type=[LONG] * count)),
        dense_types=protos.AttrValue(list=protos.AttrValue.ListValue()),
    )
    nodes.reshape("cross:1", LONG)


def padded_for_a_wide_filter(nodes):
    """A filter that looks far apart, at one pixel padded for it on all sides."""
    ones, far = ints([1, 1, 1, 1]), ints([1, 1 << 15, 1 << 15, 1])
    nodes.constant("image", FLOAT, [1.0], [1, 1, 1, 1])
    nodes.constant("filter", FLOAT, [1.0], [2, 2, 1])
    nodes.add("Dilation2D", "made", ["image", "filter"], {"T": FLOAT}, strides=ones, rates=far, padding=b"SAME")
    nodes.constant("flat", INT, [-1], [1])
    nodes.add("Reshape", "vector", ["made", "flat"], {"T": FLOAT, "Tshape": INT})
    nodes.add("Cast", "sizes", ["vector"], {"SrcT": FLOAT, "DstT": INT})
    nodes.reshape("sizes")


def decompressed(nodes):
    text = gzip.compress(gzip.compress(b"\0" * (1 << 24), 9))
    nodes.constant("packed", STRING, [text])
    nodes.add("DecodeCompressed", "once", ["packed"], compression_type=b"GZIP")
    nodes.add("DecodeCompressed", "text", ["once"], compression_type=b"GZIP")
    nodes.hashed("text")


def joined_texts(nodes):
    nodes.constant("n0", STRING, [b"a"])
    for i in range(31):
        nodes.add("StringJoin", f"n{i + 1}", [f"n{i}", f"n{i}"], N=2, separator=b"")
    nodes.hashed("n31")


def widened_number(nodes):
    nodes.constant("number", INT, [1])
    nodes.add("AsString", "text", ["number"], {"T": INT}, width=1 << 30)
    nodes.hashed("text")


BUILDERS = [
    reshape_to_one,
    fill_of_one,
    sum_over_one,
    unknown_input("Transpose", {"Tperm": INT}, [HUGE]),
    unknown_input("Pad", {"Tpaddings": INT}, [HUGE, 2]),
    unknown_input("Tile", {"Tmultiples": INT}, [HUGE]),
    unknown_input("ReverseV2", {"Tidx": INT}, [HUGE]),
    unknown_input("BroadcastTo", {"Tidx": INT}, [HUGE]),
    unknown_input("Slice", {"Index": INT}, [HUGE], [HUGE]),
    unknown_input("StridedSlice", {"Index": INT}, [HUGE], [HUGE], [HUGE]),
    unknown_input("SpaceToBatchND", {"Tblock_shape": INT, "Tpaddings": INT}, [HUGE], [HUGE, 2]),
    placeholder_of_sizes,
    fill_of_placeholder,
    range_as_shape,
    tile_as_shape,
    fill_as_shape,
    doubled(known),
    doubled(fed),
    doubled(empty),
    doubled(of_places),
    doubled_and_cut,
    filled_rows,
    gathered_pages,
    crossed,
    padded_for_a_wide_filter,
    decompressed,
    joined_texts,
    widened_number,
]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_an_import_takes_no_memory_for_what_the_graph_only_speaks_of(build):
    nodes = Nodes()
    build(nodes)
    # What is loaded at first use is no part of the import.
    nodes.imported()
    tracemalloc.start()
    try:
        graph = nodes.imported()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert graph.get_operation_by_name("out").outputs[0].dtype.base_dtype is tf.float32
    assert peak < MEMORY


@pytest.mark.parametrize("count", [8, 254, 255, 1000])
@pytest.mark.parametrize("repeated", [True, False])
def test_shapes_of_any_rank_are_known_where_they_are_written_out(count, repeated):
    nodes = Nodes()
    nodes.constant("sizes", INT, [1] if repeated else [1] * count, [count])
    nodes.reshape("sizes")
    assert nodes.imported().get_tensor_by_name("out:0").shape.as_list() == [1] * count


@pytest.mark.parametrize("op", ["Reshape", "Fill"])
@pytest.mark.parametrize("count", [255, 5000, 1 << 24])
def test_more_dimensions_than_a_tensor_has_are_refused_at_run(op, count):
    nodes = Nodes()
    vector_of_one(nodes, count=count)
    if op == "Reshape":
        nodes.reshape("sizes")
    else:
        nodes.constant("x", FLOAT, [1.0])
        nodes.add("Fill", "out", ["sizes", "x"], {"T": FLOAT, "index_type": INT})
    with pytest.raises(tf.errors.InvalidArgumentError):
        nodes.run()


def test_more_dimensions_than_an_array_has_are_not_fetched():
    nodes = Nodes()
    vector_of_one(nodes, count=100)
    nodes.reshape("sizes")
    with pytest.raises(tf.errors.InternalError, match="Could not allocate ndarray") as caught:
        nodes.run()
    assert caught.value.op.name == "out"


@pytest.mark.parametrize(
    ("dims", "text"),
    [([1] * 255, "has too many dimensions"), ([1 << 62, 1 << 62], "is too large"), ([1 << 62, 4, 0], "is too large")],
)
def test_constants_of_no_possible_shape_are_refused(dims, text):
    nodes = Nodes()
    nodes.constant("out", FLOAT, [1.0], dims)
    with pytest.raises(ValueError, match=text):
        nodes.imported()


def test_placeholders_of_too_many_dimensions_are_refused():
    nodes = Nodes()
    nodes.placeholder("p", FLOAT, [1] * 255)
    with pytest.raises(ValueError, match=r"Shape \[1.*\] has too many dimensions for 'p' \(op: 'Placeholder'\)"):
        nodes.imported()


def test_a_value_is_followed_far_back():
    nodes = Nodes()
    nodes.constant("n0", INT, [2], [1])
    for i in range(20000):
        nodes.add("Identity", f"n{i + 1}", [f"n{i}"], {"T": INT})
    nodes.constant("x", FLOAT, [1.0], [2])
    for name, source in (("near", "n200"), ("far", "n20000")):
        nodes.add("Reshape", name, ["x", source], {"T": FLOAT, "Tshape": INT})
    graph = nodes.imported()
    assert graph.get_tensor_by_name("near:0").shape.as_list() == [2]
    assert graph.get_tensor_by_name("far:0").shape.ndims in (1, None)
    with tf.Session(graph=graph) as session:
        np.testing.assert_array_equal(session.run("far:0"), [1.0, 1.0])


def test_shapes_written_into_the_file_do_not_make_the_import_compute():
    nodes = Nodes()
    nodes.constant("data", FLOAT, [1.0], [1])
    nodes.constant("segments", LONG, [1 << 35], [1])
    nodes.add("SegmentSum", "sums", ["data", "segments"], {"T": FLOAT, "Tindices": LONG})
    shape = nodes.graph_def.node[-1].attr["_output_shapes"].list.shape.add()
    shape.dim.add(size=1)
    nodes.add("Cast", "sizes", ["sums"], {"SrcT": FLOAT, "DstT": INT})
    nodes.reshape("sizes")
    assert nodes.imported().get_tensor_by_name("sums:0").shape.as_list() == [1]


def with_outputs(count, nodes=3):
    built = Nodes()
    built.constant("x", FLOAT, [1.0], [count])
    for i in range(nodes):
        built.add("Unpack", f"parts{i}", ["x"], {"T": FLOAT}, num=count, axis=0)
    return built


def test_an_import_has_so_many_outputs_in_all():
    built = with_outputs(1 << 19)
    # The first is refused already, so that the test makes none.
    del built.graph_def.node[1:]
    for i, count in enumerate((1 << 62, (1 << 20) + 1)):
        built.add("Unpack", f"parts{i}", ["x"], {"T": FLOAT}, num=count, axis=0)
        with pytest.raises(ValueError, match="outputs"):
            built.imported()
        del built.graph_def.node[-1]


def test_nodes_share_the_outputs_an_import_may_have(monkeypatch):
    monkeypatch.setattr("headrace.messages.node_imports._MAX_OUTPUTS", 250)
    assert len(with_outputs(100, nodes=2).imported().get_operations()) == 3
    with pytest.raises(ValueError, match="Node 'parts2'"):
        with_outputs(100).imported()
    body = with_outputs(100, nodes=2)
    function = body.graph_def.library.function.add()
    function.signature.name = "parts"
    function.signature.input_arg.add(name="x", type=FLOAT)
    function.signature.output_arg.add(name="y", type=FLOAT)
    node = function.node_def.add(name="unpacked", op="Unpack", input=["x"])
    node.attr["T"].type = FLOAT
    node.attr["num"].i = 100
    function.ret["y"] = "unpacked:output:0"
    with pytest.raises(ValueError, match="outputs"):
        body.imported()


@pytest.mark.parametrize("fetched", ["x:0", "out:0"])
@pytest.mark.parametrize("count", [1 << 31, 1 << 33, 1 << 45])
@pytest.mark.parametrize("kind", [FLOAT, STRING])
def test_constants_larger_than_any_memory_are_refused_when_they_are_needed(kind, count, fetched):
    nodes = Nodes()
    nodes.constant("x", kind, [b"a"] if kind == STRING else [1.0], [count])
    nodes.constant("axis", INT, [0])
    if kind == FLOAT:
        nodes.add("Sum", "out", ["x", "axis"], {"T": FLOAT, "Tidx": INT}, keep_dims=False)
    else:
        nodes.add("Shape", "out", ["x"], {"T": STRING, "out_type": LONG})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto") as caught:
        nodes.run(fetched)
    assert caught.value.op.name == "x"


def test_what_there_is_no_memory_for_is_told_with_the_operation(monkeypatch):
    from headrace.runtime import outputs

    def no_memory(value, dtype):
        raise MemoryError

    with tf.Graph().as_default():
        made = outputs.to_output(tf.constant(1 + 1j, name="c"), shared=False)
    monkeypatch.setattr(outputs, "to_numpy", no_memory)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"c:0.*shape\[3\]") as caught:
        made(np.ones(3))
    assert caught.value.op.name == "c"


@pytest.mark.parametrize(("kind", "zero"), [("bfloat16", 14), ("qint8", 11), ("half", 19)])
def test_one_element_of_any_type_stays_one(kind, zero):
    from headrace.core.dtypes import as_dtype
    from headrace.messages.tensor_proto import array_of
    from headrace.plan.values import to_torch

    message = protos.TensorProto(dtype=zero)
    message.tensor_shape.dim.add(size=1 << 30)
    value = to_torch(array_of(message), as_dtype(kind))
    assert tuple(value.shape) == (1 << 30,)
    assert value.untyped_storage().nbytes() < 64


def windows(**attrs):
    lists = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1]} | {k: attrs.pop(k) for k in ("ksize",) if k in attrs}
    made = {k: v if isinstance(v, protos.AttrValue) else ints(v) for k, v in lists.items()}
    return "MaxPool", [FLOAT, [1, 4, 4, 1]], {"T": FLOAT}, made | {"padding": b"SAME"} | attrs


FAULTS = {
    # What 1.15.5 says of each, up to the name of the op.
    "Value for attr 'num_buckets' of -1 must be at least minimum 1": (
        *("StringToHashBucketFast", [STRING, []], {}),
        {"num_buckets": -1},
    ),
    "Value for attr 'N' of 0 must be at least minimum 1": ("Pack", None, {"T": FLOAT}, {"N": 0}),
    "Value for attr 'num' of -1 must be at least minimum 0": ("Unpack", [FLOAT, [1]], {"T": FLOAT}, {"num": -1}),
    "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float, double, int32, int64, "
    "complex64, complex128": ("Neg", [STRING, []], {"T": STRING}, {}),
    "AttrValue must not have reference type value of float_ref\n\t for attr 'T'": (
        *("Neg", [FLOAT, []], {"T": FLOAT + 100}),
        {},
    ),
    'Value for attr \'padding\' of "WRONG" is not in the list of allowed values: "SAME", "VALID"': windows(
        padding=b"WRONG"
    ),
    "Length for attr 'ksize' of 3 must be at least minimum 4": windows(ksize=[1, 1, 1]),
    "AttrValue had value with type 'list(float)' when 'list(int)' expected\n\t for attr 'ksize'": windows(
        ksize=protos.AttrValue(list=protos.AttrValue.ListValue(f=[1.0] * 4))
    ),
    "Length for attr 'component_types' of 0 must be at least minimum 1": (
        *("FIFOQueueV2", None, {}),
        {"component_types": protos.AttrValue(list=protos.AttrValue.ListValue())},
    ),
}


@pytest.mark.parametrize("text", FAULTS)
def test_attributes_are_held_against_their_declaration(text):
    op, source, types, attrs = FAULTS[text]
    nodes = Nodes()
    if source is not None:
        nodes.constant("x", source[0], [b"1"] if source[0] == STRING else [1.0], source[1])
    nodes.add(op, "out", [] if source is None else ["x"], types, **attrs)
    with pytest.raises(ValueError) as caught:
        nodes.imported()
    assert str(caught.value).startswith(f"{text}\n\t; NodeDef: {{{{node out}}}}; Op<name={op}")


@pytest.mark.parametrize("count", [2**31, 2**40, 2**62])
def test_lists_of_inputs_that_are_not_there_take_no_memory(count):
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="Const").attr["dtype"].type = 1
    graph_def.node[0].attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1.0))
    added = graph_def.node.add(name="b", op="AddN", input=["a"])
    added.attr["N"].i = count
    added.attr["T"].type = 1
    with tf.Graph().as_default(), pytest.raises(ValueError, match=f"expected {count} inputs.*1 inputs specified.*b"):
        tf.import_graph_def(graph_def, name="")


@pytest.mark.parametrize(
    ("count", "says"), [(1 << 31, "that stand for a tensor of"), (-2, "Could not parse serialized")]
)
def test_serialized_sparse_tensors_take_the_memory_of_their_text(count, says):
    """Values of which one is to be repeated again and again."""
    indices, shape = (tf.make_tensor_proto(np.array(value, np.int64)) for value in ([[0], [1]], [3]))
    values = protos.TensorProto(dtype=1, float_val=[1.0])
    values.tensor_shape.dim.add(size=count)
    cells = [message.SerializeToString() for message in (indices, values, shape)]
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.io.deserialize_many_sparse([cells], tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            session.run(sparse)


@pytest.mark.parametrize("kind", [FLOAT, STRING])
def test_parsed_tensors_take_the_memory_of_their_text(kind):
    """A value that is to be repeated again and again."""
    tensor = protos.TensorProto(dtype=kind)
    tensor.tensor_shape.dim.add(size=1 << 31)
    getattr(tensor, FIELDS[kind]).append(b"a" if kind == STRING else 1.0)
    with tf.Graph().as_default(), tf.Session() as sess:
        parsed = tf.parse_tensor(tensor.SerializeToString(), tf.as_dtype(kind))
        with pytest.raises(tf.errors.InvalidArgumentError, match="that stand for a tensor of"):
            sess.run(parsed)
