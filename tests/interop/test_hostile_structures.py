"""Graphs whose parts are what they should be, put together to make a loader run code, write files or never end."""

from __future__ import annotations

import pathlib
import string
import sys

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.api.op_index import declare_all
from headrace.core.file_effects import find_writer
from headrace.core.registry import REGISTRY, find, find_public
from headrace.kernels.size_functions import size_function
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hostile_graphs import FLOAT, calling, constant, function, run

declare_all()
OF_THE_PLANNER = sorted(op_type for op_type in REGISTRY if op_type.startswith("_"))
# Were one of them run, the process would end, which no test survives.
HOSTILE_NAMES = [
    *(
        "print",
        "lambda",
        "class",
        "_f",
        "1f",
        "a b",
        "a\nb",
        "a\r\nimport os\n",
        "a;b",
        "ﬁ",
        "ª",
        "a\0b",
        "\u2028",
        "'",
        '"',
    ),
    *(
        '"""',
        "{0}",
        "{0.__class__}",
        "%s",
        "\\",
        "#",
        "v0",
        "f0",
        "c1",
        "np",
        "observe",
        "no_value",
        "step",
        "__import__",
    ),
    "builtins.print;__import__('os').abort()#",
    "x(*__import__('os').abort())\n",
]


# ---- ops that only the planner makes ----


def test_there_are_such_ops_and_none_is_public():
    assert len(OF_THE_PLANNER) > 40
    assert not any(find_public(op_type) for op_type in OF_THE_PLANNER)
    assert find_public("MatMul") is find("MatMul")


@pytest.mark.parametrize("op_type", OF_THE_PLANNER)
def test_graphs_cannot_have_them(op_type):
    graph_def = tf.GraphDef()
    constant(graph_def)
    graph_def.node.add(name="n", op=op_type, input=["c"])
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match=f"not registered '{op_type}'"):
        tf.import_graph_def(graph_def)


@pytest.mark.parametrize("op_type", OF_THE_PLANNER)
def test_functions_of_graphs_cannot_run_them(op_type):
    with pytest.raises(NotImplementedError, match=f"no op of type {op_type}"):
        run(calling("f", op=op_type))


def test_programs_cannot_make_them_from_messages():
    node_def = protos.NodeDef(name="n", op="_Sizes")
    with tf.Graph().as_default() as graph:
        with pytest.raises(tf.errors.NotFoundError, match="_Sizes"):
            graph.create_op("_Sizes", [], [tf.int32])
        with pytest.raises(tf.errors.NotFoundError, match="_Sizes"):
            tf.Operation(node_def, graph, [], [tf.int32])


@pytest.mark.parametrize("name", ["live", "guards", "filter_dims", "filters_and_bias", "elements"])
def test_what_the_planner_notes_is_not_taken_from_a_graph(name):
    graph_def = tf.GraphDef()
    constant(graph_def)
    pred = graph_def.node.add(name="p", op="Placeholder")
    pred.attr["dtype"].type = 10
    switch = graph_def.node.add(name="s", op="Switch", input=["c", "p"])
    merge = graph_def.node.add(name="m", op="Merge", input=["s", "s:1"])
    merge.attr["N"].i = 2
    for node in (switch, merge):
        node.attr["T"].type = FLOAT
        node.attr[f"_{name}"].list.s.append(b"__import__('os').abort()")
    with tf.Graph().as_default(), tf.Session() as session:
        merged, pred = tf.import_graph_def(graph_def, return_elements=["m:0", "p:0"], name="")
        assert session.run(merged, {pred: True}) == 2.0


@pytest.mark.parametrize(
    "expression",
    [
        "a0.shape[0]",
        ("size", 0, "0"),
        ("size", 1, 0),
        ("call", 0, 0),
        ("+", 1),
        ("/", 1, 2),
        ("count", 0, 0),
        (),
        None,
        2.5,
    ],
)
def test_sizes_are_compiled_from_known_forms_only(expression):
    with pytest.raises((ValueError, TypeError)):
        size_function([expression], 1, torch.int32, number=True)


# ---- names ----


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_functions_may_have_any_name_and_are_called(name):
    """As in 1.15.5, which calls them all."""
    assert run(calling(name)) == 2.0


@settings(deadline=None, max_examples=60)
@example(name="print;import os#")
@given(name=st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=20))
def test_names_of_functions_reach_no_code(name):
    if find(name) is None:
        assert run(calling(name)) == 2.0


@pytest.mark.parametrize("name", ["MatMul", "Identity", "_While", "Switch", "Merge"])
def test_functions_cannot_take_the_place_of_ops(name):
    with pytest.raises(ValueError, match=f"function '{name}' because an op with the same name already exists"):
        run(calling(name))


@pytest.mark.parametrize("name", ["", "_a", "/a", "a b", "a\n", "a\nb", "a\0b", "é", "a;b", "a'b", "a\u2028b"])
@pytest.mark.parametrize("prefix", ["", "p"])
def test_names_of_nodes_are_checked(name, prefix):
    graph_def = tf.GraphDef()
    graph_def.node.add(name=name, op="NoOp")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Node name contains invalid characters"):
        tf.import_graph_def(graph_def, name=prefix)


@pytest.mark.parametrize("part", ["argument", "result", "node"])
@pytest.mark.parametrize("name", ["", "x y", "x\ny", "y;z", "x#", "n\n"])
def test_names_in_functions_are_checked(part, name):
    with pytest.raises(ValueError, match="Node name contains invalid characters"):
        run(calling("f", **{part: name}))


def _split(inner, **attrs):
    inner.op = "Split"
    inner.input[:] = ["x", "x"]
    for name, value in attrs.items():
        inner.attr[name].CopyFrom(value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda made, inner: made.ret.update(y="elsewhere"), "'elsewhere', which it returns as 'y', is not found"),
        (lambda made, inner: made.ret.update(y="x1"), "is not found in it"),
        (lambda made, inner: made.ret.update(y="n:output:7"), "'n:output:7', which it returns as 'y', is not found"),
        (lambda made, inner: setattr(inner.attr["T"], "type", 99), "99"),
        (lambda made, inner: setattr(made.attr["_unknown"], "type", 99), "Function 'F'.*99"),
        (lambda made, inner: _split(inner), "'n' .Split.: its attribute 'num_split' does not say how many outputs"),
        (
            lambda made, inner: _split(inner, num_split=protos.AttrValue(list=protos.AttrValue.ListValue(i=[2]))),
            "its attribute 'num_split' does not say how many outputs",
        ),
    ],
)
def test_functions_that_do_not_fit_together_are_refused_as_graphs_are(change, says):
    graph_def = calling("F")
    made = graph_def.library.function[0]
    change(made, made.node_def[0])
    with tf.Graph().as_default(), pytest.raises(ValueError, match=says):
        tf.import_graph_def(graph_def)


def test_nodes_need_an_op():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="n")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Node 'n' does not specify an operation"):
        tf.import_graph_def(graph_def)


@pytest.mark.parametrize("kind", [tf.placeholder, tf.get_variable])
def test_names_of_programs_end_where_they_end(kind):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="not a valid"):
        kind(tf.float32, [], "x\n") if kind is tf.placeholder else kind("x\n", [])


HOSTILE_TEXT = st.one_of(
    st.sampled_from([name.encode("utf-8", "surrogatepass") for name in HOSTILE_NAMES]),
    st.binary(max_size=12),
    st.text(string.printable, max_size=12).map(str.encode),
)
ATTRIBUTE = st.one_of(
    HOSTILE_TEXT.map(lambda text: protos.AttrValue(s=text)),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: protos.AttrValue(i=number)),
    st.lists(HOSTILE_TEXT, max_size=3).map(lambda texts: protos.AttrValue(list=protos.AttrValue.ListValue(s=texts))),
    st.sampled_from(HOSTILE_NAMES).map(lambda name: protos.AttrValue(func=protos.NameAttrList(name=name))),
)


@settings(deadline=None, max_examples=150)
@given(
    op=st.sampled_from(["Identity", "Neg", "Sum", "Reshape", "StringFormat", "Print", "RegexFullMatch", "Const"]),
    name=st.sampled_from(
        ["_class", "_gradient_op_type", "_kernel", "_output_shapes", "frame_name", "message", "template"]
    ),
    value=ATTRIBUTE,
    device=st.one_of(st.just(""), st.sampled_from(HOSTILE_NAMES), st.just("/cpu:0\n#"), st.just("/device:CPU:0")),
)
def test_attributes_and_devices_reach_no_code(op, name, value, device):
    """Whatever is said of a node: it runs, or is refused as such graphs are."""
    graph_def = calling("f")
    node = graph_def.node.add(name="n", op=op, input=["call"], device=device)
    node.attr["T"].type = FLOAT
    node.attr[name].CopyFrom(value)
    try:
        run(graph_def, "n:0")
    except (tf.errors.OpError, ValueError, TypeError, NotImplementedError) as error:
        assert not isinstance(error, (SyntaxError, UnicodeError))  # noqa: PT017  there may be no error


# ---- graphs that ask for too much ----


def nested(levels, calls):
    """Functions of which each calls the one before it that many times."""
    graph_def = tf.GraphDef()
    constant(graph_def)
    function(graph_def, "f0", op="Neg", output="y")
    for level in range(1, levels + 1):
        made = graph_def.library.function.add()
        made.signature.CopyFrom(graph_def.library.function[0].signature)
        made.signature.name = f"f{level}"
        last = "x"
        for place in range(calls):
            made.node_def.add(name=f"n{place}", op=f"f{level - 1}", input=[last])
            last = f"n{place}:y:0"
        made.ret["y"] = last
    graph_def.node.add(name="call", op=f"f{levels}", input=["c"])
    return graph_def


def test_calls_within_reason_run():
    assert run(nested(8, 2)) == 2.0
    assert run(nested(41, 1)) == -2.0


@pytest.mark.parametrize(("levels", "calls"), [(30, 2), (3000, 1), (5, 50)])
def test_more_calls_than_time_has_room_for_are_refused(levels, calls):
    with pytest.raises(tf.errors.ResourceExhaustedError, match="call functions"):
        run(nested(levels, calls))


@pytest.mark.parametrize("op", ["Mul", "Add"])
def test_sizes_that_are_squared_again_and_again(op):
    """Written out, sixty doublings of one size would be more than there is memory."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        size = tf.shape(x)[0]
        for _ in range(60):
            size = getattr(tf.raw_ops, op)(x=size, y=size)
        shape = tf.stack([size, 2])
        expected = np.array([{"Mul": 1, "Add": 0}[op], 2])
        assert (session.run(shape, {x: np.zeros((1, 3))}) == expected).all()


def test_a_state_file_of_one_long_line(tmp_path):
    (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{"a" * (1 << 22)}"\n')
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_the_gradient_of_a_gradient_is_looked_at_before_it_is_run(tmp_path):
    """Only W writes: the gradient of G, which is the gradient of F, which the init operation never calls."""
    graph_def = tf.GraphDef()
    constant(graph_def)
    target = tmp_path / "written"
    for name in ("F", "G"):
        function(graph_def, name)
    made = function(graph_def, "K", op="SymbolicGradient", f=protos.AttrValue(func=protos.NameAttrList(name="F")))
    made.node_def[0].input.append("x")
    for key in ("Tin", "Tout"):
        made.node_def[0].attr[key].list.type.extend([FLOAT] * (2 if key == "Tin" else 1))
    writing = function(graph_def, "W")
    for name, text in (("file", str(target)), ("text", "x")):
        node = writing.node_def.add(name=name, op="Const")
        node.attr["dtype"].type = 7
        node.attr["value"].tensor.dtype = 7
        node.attr["value"].tensor.tensor_shape.SetInParent()
        node.attr["value"].tensor.string_val.append(text.encode())
    writing.node_def.add(name="w", op="WriteFile", input=["file:output:0", "text:output:0"])
    for name, gradient in (("F", "G"), ("G", "W")):
        graph_def.library.gradient.add(function_name=name, gradient_func=gradient)
    graph_def.node.add(name="call", op="K", input=["c"])
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        found = find_writer([graph.get_operation_by_name("call")])
    assert found is not None
    assert found.type == "WriteFile"


# ---- depth ----


def branches(depth):
    """A value that is computed in that many branches, one in the other, and its value where all are taken."""
    preds = [tf.placeholder(tf.bool, []) for _ in range(depth)]
    x = tf.placeholder(tf.float32, [])

    def build(level):
        if level == depth:
            return tf.exp(x)
        return tf.cond(preds[level], lambda: build(level + 1), lambda: x * float(level))

    return preds, x, build(0)


def test_branches_deeper_than_python_indents():
    with tf.Graph().as_default(), tf.Session() as session:
        preds, x, y = branches(110)
        for untaken in (None, 0, 70, 74, 75, 80, 109):
            feeds = {pred: place != untaken for place, pred in enumerate(preds)}
            expected = np.exp(np.float32(2.0)) if untaken is None else 2.0 * untaken
            assert session.run(y, {x: 2.0, **feeds}) == pytest.approx(expected)


def loops(depth):
    """One is added in that many loops, one in the other, each of two iterations; of a type that no native loop has."""

    def build(level, x):
        if level == depth:
            return x + 1
        return tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, build(level + 1, x)), [0, x])[1]

    return build(0, tf.constant(0, tf.int16))


def test_loops_as_deep_as_python_nests():
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(loops(12)) == 2**12
        with pytest.raises(tf.errors.UnimplementedError, match="18 others"):
            session.run(loops(20))


def test_long_sums_in_loops():
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, tf.add_n([x] * 5000)), [0, tf.constant(1.0)])[1]
        assert session.run(y) == 5000.0**2


def test_more_than_pythons_compiler_takes():
    """A Merge of very many is one expression in another in another."""
    graph_def = tf.GraphDef()
    constant(graph_def)
    pred = graph_def.node.add(name="p", op="Placeholder")
    pred.attr["dtype"].type = 10
    count = 20_000
    switch = graph_def.node.add(name="s", op="Switch", input=["c", "p"])
    merge = graph_def.node.add(name="m", op="Merge", input=["s", "s:1"] * count)
    merge.attr["N"].i = 2 * count
    for node in (switch, merge):
        node.attr["T"].type = FLOAT
    with tf.Graph().as_default(), tf.Session() as session:
        merged, pred = tf.import_graph_def(graph_def, return_elements=["m:0", "p:0"], name="")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="compiler"):
            session.run(merged, {pred: True})


# ---- what is ours and may stand in graphs ----


def test_graphs_with_gradients_of_functional_loops_are_imported_again():
    """Headrace's own ops that programs' graphs hold are public ones: only those of plans are not."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], "x")
        tf.enable_control_flow_v2()
        try:
            y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])[1]
            tf.identity(tf.gradients(y, x)[0], "g")
        finally:
            tf.disable_control_flow_v2()
        exported = tf.train.export_meta_graph()
    assert not any(op.type.startswith("_") for op in graph.get_operations())
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(exported)
        assert session.run("g:0", {"x:0": 1.5}) == pytest.approx(8 * 1.5**7)
