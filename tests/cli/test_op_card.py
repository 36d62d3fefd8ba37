"""`headrace op TYPE`: every row says what holds of the op."""

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headrace as tf
from headrace.api.op_index import op_types
from headrace.api.tables import MACHINERY, public_homes
from headrace.cli.op_card import UnknownOp, op_card
from headrace.cli.op_uses import reached_as
from headrace.cli.op_words import planning_facts_of, words_of
from headrace.core.planning_facts import PlanningFacts, Role
from headrace.core.registry import REGISTRY, OpDecl, find
from headrace.core.signature import parse_signature
from headrace.plan.fusion import FusionPass
from headrace.plan.passes import FUSIONS

ROOT = Path(tf.__file__).parent.parent
SYMBOLS = ("v1_symbols.json", "contrib_symbols.json")


@functools.cache
def rows_of(op_type):
    """The rows of a card: word to value, on one line."""
    card = re.sub(r"\n {6,}", " ", op_card(op_type))
    assert card.splitlines()[0] == op_type
    return dict(line.strip().split("  ", 1) for line in card.splitlines()[1:])


def row(op_type, word):
    return rows_of(op_type).get(word, "").strip()


@pytest.mark.parametrize(
    ("op_type", "names"),
    [
        ("Switch", ["tf.cond", "tf.while_loop"]),
        ("Merge", ["tf.cond", "tf.while_loop"]),
        ("Enter", ["tf.while_loop"]),
        ("If", ["tf.cond"]),
        ("While", ["tf.while_loop"]),
        ("VariableV2", ["tf.Variable", "tf.get_variable"]),
        ("VarHandleOp", ["tf.Variable", "tf.get_variable"]),
        ("AssignVariableOp", ["tf.Variable.assign"]),
        ("QueueDequeueManyV2", ["tf.QueueBase.dequeue_many"]),
        ("QuantizedMaxPool", ["tf.nn.quantized_max_pool"]),
        ("MatMul", ["tf.matmul"]),
        ("Mul", ["tf.multiply"]),
        ("Conv2D", ["tf.nn.conv2d", "tf.nn.convolution"]),
        ("ApplyAdam", ["tf.train.AdamOptimizer"]),
        ("ResourceApplyAdam", ["tf.train.AdamOptimizer"]),
        ("Const", ["tf.constant"]),
        ("Placeholder", ["tf.placeholder"]),
        ("Where", ["tf.where"]),
        ("Barrier", ["tf.contrib.training.SequenceQueueingStateSaver"]),
        ("ParseExample", ["tf.parse_example", "tf.parse_single_example"]),
        ("LSTMBlockCell", ["tf.contrib.rnn.LSTMBlockCell"]),
        ("NonMaxSuppressionV3", ["tf.image.non_max_suppression"]),
        ("RandomUniform", ["tf.random_uniform"]),
        ("SaveV2", ["tf.train.Saver.save"]),
        ("SegmentSum", ["tf.segment_sum"]),
    ],
)
def test_the_names_that_lead_to_an_op(op_type, names):
    said = row(op_type, "reached as").split(", ")
    assert [name for name in names if name not in said] == []
    assert len(said) <= 5


@pytest.mark.parametrize("op_type", ["MatMul", "Mul", "Conv2D", "Where", "Const", "RandomUniform", "ParseExample"])
def test_what_is_the_op_itself_comes_first(op_type):
    first = row(op_type, "reached as").split(", ")[0]
    assert first in {
        *(
            "tf.matmul",
            "tf.multiply",
            "tf.nn.conv2d",
            "tf.where",
            "tf.constant",
            "tf.random_uniform",
            "tf.parse_example",
        )
    }


@pytest.mark.parametrize("op_type", ["Switch", "VarHandleOp", "SaveV2", "Add", "Conv2D", "RefIdentity"])
def test_the_names_are_those_of_tensorflow(op_type):
    facts = [json.loads((ROOT / "tests/facts" / name).read_text()) for name in SYMBOLS]
    symbols = {name.removeprefix("tf.") for each in facts for name in (each.get("symbols", each))}
    for name in reached_as(find(op_type)):
        path = name.removeprefix("tf.")
        # A method is told of its class.
        assert path in symbols or path.rpartition(".")[0] in symbols, name


@pytest.mark.parametrize(
    ("op_type", "of"),
    [("ReluGrad", "Relu"), ("SeluGrad", "Selu"), ("MaxPoolGrad", "MaxPool"), ("Conv2DBackpropFilter", "Conv2D")],
)
def test_what_gradients_make_says_of_what(op_type, of):
    assert of in row(op_type, "gradient of").split(", ")


@pytest.mark.parametrize("each", FUSIONS, ids=lambda each: each.name)
def test_fusions_name_what_they_look_for_and_what_they_make(each):
    assert isinstance(each, FusionPass)
    for decl in each.fusion.makes:
        assert each.purpose in row(decl.type, "made by")
    for group in each.when.groups:
        for op_type in group:
            assert f"{each.name} (" in rows_of(op_type)["fused by"]


@pytest.mark.parametrize(
    ("op_type", "file"),
    [
        ("_While", "plan/loops.py"),
        ("_Feed", "plan/collect.py"),
        ("_Transfer", "plan/place.py"),
        ("_ToTensor", "plan/native_sizes.py, headrace/plan/scalars.py"),
    ],
)
def test_ops_of_the_planner_say_what_makes_them(op_type, file):
    rows = rows_of(op_type)
    assert rows["made by"].strip() == f"headrace/{file}"
    # Fusions look into loops.
    assert ("fused by" in rows) == (op_type == "_While")


@pytest.mark.parametrize(
    ("op_type", "word", "rule"),
    [
        ("MatMul", "kernel on cpu", "matmul_kernel_on_cpu"),
        ("Where", "kernel on cpu", "where_kernel_on_cpu"),
        ("VarHandleOp", "binding", "var_handle_binding"),
        ("Const", "binding", "const_binding"),
        ("Mul", "kernel", "made by binary(function=torch.mul)"),
        ("ReluGrad", "kernel", "_relu_grad_rule"),
        ("Enter", "kernel", "none: the planner replaces it"),
        ("MatMul", "gradient", "matmul_gradient"),
        ("Shape", "gradient", "none: a gradient ends here"),
        ("Switch", "planning", "plays the switch of control flow"),
        ("ReluGrad", "planning", "never fails"),
        (
            "BoostedTreesQuantileStreamResourceDeserialize",
            "cases",
            "it differs from TensorFlow 1.15: 1.15's shape rule asks for scalars",
        ),
        ("StackPushV2", "cases", "StackPushV2(StackV2("),
        ("If", "cases", "then_branch=a function of float32"),
    ],
)
def test_rules_and_facts_are_under_their_words(op_type, word, rule):
    assert rule in row(op_type, word)


@pytest.mark.parametrize(
    "op_type",
    [
        *("NotEqual", "Barrier", "StatsAggregatorHandle", "StatsAggregatorSummary", "PrefetchDataset"),
        *("DatasetToTFRecord", "ParallelInterleaveDataset", "MatMul", "ApplyAdam", "_MatMulBias"),
    ],
)
def test_the_line_of_the_declaration_begins_a_statement_with_the_type(op_type):
    file, line = row(op_type, "declared").rsplit(":", 1)
    lines = (ROOT / file).read_text().splitlines()[int(line) - 1 :]
    assert f'"{op_type}"' in "\n".join(lines[:12])
    assert not lines[0].strip().startswith(("#", "def ", ")"))


FACTS = {
    "role": Role.MERGE,
    "handle_of": "any",
    "variable_of": "T",
    "same_shape": (1,),
    "types_without_kernel": ("T", frozenset({"string"})),
    "element_cost": 4,
    "touched_inputs": (0,),
    "scalar_rule": "{0} + {1}",
    "scalar_inputs": (0,),
}


@pytest.mark.parametrize("name", sorted(set(PlanningFacts.__annotations__) - {"fusion"}))
def test_each_planning_fact_is_said(name):
    decl = OpDecl("Plus", parse_signature("Plus", "x: T, y: T -> z: T", False))
    assert planning_facts_of(decl) == ""
    default = getattr(decl, name)
    given = FACTS.get(name, not default if isinstance(default, bool) else len)
    setattr(decl, name, given)
    assert planning_facts_of(decl)


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda decl: decl.reads("x"), "reads x"),
        (lambda decl: decl.writes("x", "y"), "writes x, y"),
        (lambda decl: decl.keeps("y"), "keeps y"),
        (lambda decl: decl.on_host("y", outputs=True), "y on the host; outputs on the host"),
        (lambda decl: decl.fresh("z"), "fresh z"),
        (lambda decl: decl.fresh(), "fresh outputs"),
        (lambda decl: decl.checks(), "runs even for a control edge"),
        (lambda decl: decl.waits(), "may wait"),
        (lambda decl: decl.waits_by_value(), "control edges to it say nothing"),
        (lambda decl: decl.numpy_floats(), "may compute with NumPy"),
        (lambda decl: decl.writes_files(), "writes files"),
        (lambda decl: decl.calls_python(), "calls Python"),
    ],
)
def test_each_word_of_a_declaration_is_said(declare, said):
    decl = OpDecl("Plus", parse_signature("Plus", "x: T, y: T -> z: T, index: int32", False))
    assert words_of(decl) == ""
    declare(decl)
    assert words_of(decl) == said


def test_lines_are_no_longer_than_a_terminal():
    assert max(map(len, op_card("ParseSingleSequenceExample").splitlines())) <= 120


def test_an_op_that_is_not_there_names_those_that_are_spelled_like_it():
    with pytest.raises(UnknownOp, match="close: MatMul"):
        op_card("MatMull")


def test_every_op_has_a_card_of_what_is_declared():
    for op_type in op_types()[::40]:
        assert rows_of(op_type)["declared"].strip().startswith("headrace/")
        assert REGISTRY[op_type].line > 0


def test_the_tables_are_those_of_public_modules():
    api = ROOT / "headrace" / "api"
    assert {name for name in MACHINERY if not (api / f"{name}.py").exists()} == set()
    code = f"import headrace as tf; print([n for n in {sorted(MACHINERY)} if n in dir(tf) or hasattr(tf, n)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
    assert [name for name, _ in public_homes("headrace.api") if name.partition(".")[0] in MACHINERY] == []
