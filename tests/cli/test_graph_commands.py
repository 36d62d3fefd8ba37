"""The commands about graphs in files."""

from __future__ import annotations

import argparse
import pathlib

import numpy as np
import pytest
from click.testing import CliRunner

import headrace as tf
from headrace.checkpoints.inspect_checkpoint import parse_numpy_printoption
from headrace.cli.commands import headrace
from headrace.graph_tools import saved_model_cli
from headrace.graph_tools.inlining import with_calls_inlined
from headrace.graph_tools.saved_models import preprocess_input_examples_arg_string, preprocess_input_exprs_arg_string
from headrace.messages import protos

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"
MODEL = str(FIXTURES / "saved_model")


def arrays(name):
    with np.load(FIXTURES / name) as file:
        return dict(file)


def invoke(*arguments):
    result = CliRunner().invoke(headrace, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def test_what_a_saved_model_takes_and_gives():
    _, shown = invoke("saved-model", "show", "--dir", MODEL, "--tag_set", "serve", "--signature_def", "serving_default")
    assert shown.splitlines()[:5] == [
        "The given SavedModel SignatureDef contains the following input(s):",
        "  inputs['x'] tensor_info:",
        "      dtype: DT_FLOAT",
        "      shape: (-1, 4)",
        "      name: x:0",
    ]
    assert "serve" in invoke("saved-model", "show", "--dir", MODEL)[1]
    assert "signature_def['serving_default']" in invoke("saved-model", "show", "--dir", MODEL, "--all")[1]


def test_a_saved_model_runs(tmp_path):
    data = arrays("serving.npz")
    np.savez(tmp_path / "in.npz", batch=data["x"], other=1)
    command = ("saved-model", "run", "--dir", MODEL, "--tag_set", "serve", "--signature_def", "serving_default")
    command += ("--inputs", f"x={tmp_path}/in.npz[batch]", "--outdir", tmp_path / "out")
    assert invoke(*command)[0] == 0
    np.testing.assert_allclose(np.load(tmp_path / "out" / "y.npy"), data["y"], rtol=1e-5)
    code, said = invoke(*command)
    assert code == 1
    assert "already exists" in said
    assert invoke(*command, "--overwrite")[0] == 0


def test_ops_that_reach_beyond_the_graph_are_told(tmp_path):
    assert invoke("saved-model", "scan", "--dir", MODEL) == (
        0,
        "MetaGraph with tag set ['serve'] does not contain blacklisted ops.\n",
    )
    with tf.Graph().as_default(), tf.Session() as session:
        name = tf.placeholder(tf.string, [])
        tf.saved_model.simple_save(session, str(tmp_path / "reads"), {"name": name}, {"text": tf.read_file(name)})
    _, said = invoke("saved-model", "scan", "--dir", tmp_path / "reads", "--tag_set", "serve")
    assert said == "MetaGraph with tag set ['serve'] contains the following blacklisted ops: {'ReadFile'}\n"
    run = ("saved-model", "run", "--dir", MODEL, "--tag_set", "serve", "--signature_def", "serving_default")
    assert invoke(*run, "--input_exprs", "x=[[1.0]]", "--worker", "grpc://a")[0] == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("np.ones((2, 3)) * 2", np.full((2, 3), 2.0)),
        ("[1, 2]", [1, 2]),
        ("np.array([1], dtype=np.int32)", np.int32([1])),
    ],
)
def test_expressions(text, value):
    np.testing.assert_array_equal(preprocess_input_exprs_arg_string(f"x={text}")["x"], value)


@pytest.mark.parametrize("text", ["__import__('os').getcwd()", "np.load('x')", "np.lib", "open('x')", "(lambda: 1)()"])
def test_expressions_that_would_run_code_are_not_evaluated(text):
    with pytest.raises(ValueError, match="not evaluated"):
        preprocess_input_exprs_arg_string(f"x={text}")


def test_examples():
    (text,) = preprocess_input_examples_arg_string("x=[{'a': [1], 'b': [0.5], 'c': ['d']}]")["x"]
    example = tf.train.Example.FromString(text)
    assert example.features.feature["a"].int64_list.value == [1]
    assert example.features.feature["c"].bytes_list.value == [b"d"]


def called(*arguments):
    args = saved_model_cli.create_parser().parse_args([str(argument) for argument in arguments])
    args.func(args)


def test_the_parser_of_saved_model_cli_leads_to_its_functions(capsys, tmp_path):
    called("show", "--dir", MODEL)
    assert capsys.readouterr().out == "The given SavedModel contains the following tag-sets:\nserve\n"
    called("scan", "--dir", MODEL)
    assert "does not contain blacklisted ops" in capsys.readouterr().out
    data = arrays("serving.npz")
    np.save(tmp_path / "x.npy", data["x"])
    arguments = ("run", "--dir", MODEL, "--tag_set", "serve", "--signature_def", "serving_default")
    arguments += ("--inputs", f"x={tmp_path / 'x.npy'}", "--outdir", tmp_path / "out")
    called(*arguments)
    assert "Result for output key y:" in capsys.readouterr().out
    np.testing.assert_allclose(np.load(tmp_path / "out" / "y.npy"), data["y"], rtol=1e-5)
    with pytest.raises(RuntimeError, match="--overwrite"):
        called(*arguments)
    with pytest.raises(AttributeError, match="--inputs"):
        called(*arguments[:7])
    with pytest.raises(NotImplementedError, match="TensorRT"):
        called("convert", "--dir", MODEL, "--output_dir", tmp_path / "out", "--tag_set", "serve", "tensorrt")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("x:a.npy", "", ""), RuntimeError),
        (("", "x", ""), RuntimeError),
        (("", "", "x={'a': [1]}"), ValueError),
        (("", "", "x=[{'a': 1}]"), ValueError),
        (("x={folder}/two.npz", "", ""), RuntimeError),
        (("x={folder}/two.npz[c]", "", ""), RuntimeError),
        (("x={folder}/none.npy", "", ""), tf.errors.NotFoundError),
        (("", "x=[1", ""), SyntaxError),
        (("", "x=np.no_such_name(1)", ""), AttributeError),
    ],
)
def test_inputs_of_another_form_are_refused(options, error, tmp_path):
    np.savez(tmp_path / "two.npz", a=np.ones(1), b=np.ones(1))
    with pytest.raises(error):
        saved_model_cli.load_inputs_from_input_arg_string(
            *(each.replace("{folder}", str(tmp_path)) for each in options)
        )


@pytest.mark.parametrize("option", ["threshold", "no_such_option=1", "formatter=x"])
def test_options_of_printing_of_another_form_are_refused(option):
    with pytest.raises(argparse.ArgumentTypeError, match=option.partition("=")[0]):
        parse_numpy_printoption(option)
    assert invoke("checkpoint", MODEL + "/variables/variables", "--printoptions", option)[0] == 2


def test_of_inputs_given_twice_the_later_option_counts(tmp_path):
    np.savez(tmp_path / "two.npz", a=np.ones(1), b=np.zeros(2))
    with pytest.warns(UserWarning, match="input_exprs"):
        found = saved_model_cli.load_inputs_from_input_arg_string(f"x={tmp_path}/two.npz[b]", "x=[5];y=2", "")
    assert found == {"x": [5], "y": 2}


def test_freezing_stripping_and_optimizing(tmp_path):
    frozen, stripped, small = (tmp_path / name for name in ("frozen.pb", "stripped.pb", "small.pb"))
    assert (
        invoke("freeze", "--input_saved_model_dir", MODEL, "--output_node_names", "y", "--output_graph", frozen)[0] == 0
    )
    ends = ("--input_node_names", "x", "--output_node_names", "y")
    assert invoke("strip", "--input_graph", frozen, "--input_binary=true", "--output_graph", stripped, *ends)[0] == 0
    ends = ("--input_names", "x", "--output_names", "y")
    assert invoke("optimize", "--input", stripped, "--output", small, *ends)[0] == 0
    data = arrays("serving.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(tf.GraphDef.FromString(small.read_bytes()), name="")
        np.testing.assert_allclose(session.run("y:0", {"x:0": data["x"]}), data["y"], rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("freeze", "--input_checkpoint", "/no-such", "--output_node_names", "a"), "doesn't exist"),
        (("saved-model", "show", "--dir", "/no/such"), "does not exist"),
        (("saved-model", "show", "--dir", MODEL, "--tag_set", "gpu"), "could not be found"),
        (("saved-model", "show", "--dir", MODEL, "--tag_set", "serve", "--signature_def", "no"), "Could not find"),
    ],
)
def test_bad_input_is_told_without_a_traceback(arguments, word):
    code, said = invoke(*arguments)
    assert code == 1
    assert word in said
    assert "Traceback" not in said


def doubling(levels):
    """A graph of one call; each function calls the next one twice."""
    graph_def = tf.GraphDef()
    graph_def.node.add(name="x", op="Placeholder").attr["dtype"].type = 1

    def call(nodes, name, source, callee):
        node = nodes.add(name=name, op="PartitionedCall", input=[source])
        node.attr["Tin"].list.type.append(1)
        node.attr["Tout"].list.type.append(1)
        node.attr["f"].func.name = callee

    call(graph_def.node, "y", "x", "f0")
    for i in range(levels):
        function = graph_def.library.function.add()
        function.signature.name = f"f{i}"
        function.signature.input_arg.add(name="a", type=1)
        function.signature.output_arg.add(name="b", type=1)
        if i < levels - 1:
            call(function.node_def, "first", "a", f"f{i + 1}")
            call(function.node_def, "second", "first:output:0", f"f{i + 1}")
        else:
            function.node_def.add(name="second", op="Neg", input=["a"]).attr["T"].type = 1
        function.ret["b"] = "second:output:0" if i < levels - 1 else "second:y:0"
    return graph_def


@pytest.mark.parametrize("levels", [1, 2, 7])
def test_calls_are_inlined(levels):
    graph_def = doubling(levels)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        made = with_calls_inlined(graph_def, graph)
        assert not {"PartitionedCall"} & {node.op for node in made.node}
        assert sum(node.op == "Neg" for node in made.node) == 2 ** (levels - 1)
        flat = tf.import_graph_def(made, name="flat", return_elements=["y:0"])
        assert session.run(flat, {"flat/x:0": 3.0}) == [-3.0 if levels == 1 else 3.0]


@pytest.mark.parametrize("levels", [26, 60])
def test_calls_that_double_level_after_level_are_refused_at_once(levels):
    graph_def = doubling(levels)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="A call of 'f0' makes"):
            with_calls_inlined(graph_def, graph)


def test_long_names_count_too():
    graph_def = doubling(14)
    for function in graph_def.library.function[:-1]:
        function.node_def[0].name = "n" * 20_000
        function.node_def[1].input[0] = "n" * 20_000 + ":output:0"
    with tf.Graph().as_default() as graph, pytest.raises(tf.errors.ResourceExhaustedError, match="bytes of names"):
        with_calls_inlined(graph_def, graph)


def nested(*calls):
    """A graph that calls the first function of each pair; the first calls the second, or where that is None negates."""
    graph_def = protos.GraphDef()
    graph_def.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    for i, (name, callee) in enumerate(calls):
        graph_def.node.add(name=f"call{i}", op=name, input=["x"])
        function = graph_def.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="a", type=1)
        function.signature.output_arg.add(name="b", type=1)
        node = function.node_def.add(name="inner", op=callee or "Neg", input=["a"])
        if callee is None:
            node.attr["T"].type = 1
        function.ret["b"] = "inner:b:0" if callee else "inner:y:0"
    return graph_def


def test_functions_that_call_themselves_are_refused():
    with pytest.raises(ValueError, match="Function 'f' calls itself"):
        with_calls_inlined(nested(("f", "g"), ("g", "f")), tf.Graph())


@pytest.mark.parametrize("callees_first", [False, True])
def test_calls_nested_too_deep_are_refused_for_what_they_are(callees_first):
    levels = [(f"f{i}", f"f{i + 1}") for i in range(70)] + [("f70", None)]
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        with_calls_inlined(nested(*levels[:: -1 if callees_first else 1]), tf.Graph())


def test_commands_to_terminals_are_shown_not_given(tmp_path):
    model = protos.SavedModel(saved_model_schema_version=1)
    meta = model.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    meta.signature_def["a\x1b]0;title\x07\x9b2J"].method_name = "m\x1b[31m"
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    code, shown = invoke("saved-model", "show", "--dir", tmp_path, "--all")
    assert code == 0
    assert "a\\x1b]0;title\\x07\\x9b2J" in shown
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)
