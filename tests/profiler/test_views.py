"""The trees of `tf.profiler`'s views, with the numbers that TensorFlow 1.15.5 gives for the same graph."""

import pytest

import headrace as tf
from headrace.messages import protos

BUILDER = tf.profiler.ProfileOptionBuilder


@pytest.fixture(scope="module")
def graph():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        w = tf.get_variable("w", [3, 3])
        a = tf.matmul(x, w, name="a")
        b = tf.matmul(a, w, name="b")
        with tf.control_dependencies([b]):
            late = tf.square(x, name="late")
        with tf.name_scope("end"):
            tf.add(tf.negative(a, name="n"), late, name="sum")
    return graph


def tree(graph, view, max_depth=20, limits=None, **names):
    """The rows of a view as (name, its total of flops, those below it)."""

    def told(row):
        return row.name, row.total_float_ops, [told(child) for child in row.children]

    options = BUILDER(BUILDER.float_operation()).with_max_depth(max_depth).with_min_float_operations(0)
    options = options.order_by("name").with_node_names(**names).account_displayed_op_only(False).with_empty_output()
    return told(tf.profiler.profile(graph, cmd=view, options={**options.build(), **(limits or {})}))


def test_nodes_lie_below_the_first_that_leads_to_them(graph):
    from_a = ("a", 36, [("w", 0, []), ("x", 0, [])])
    of_sum = ("end/sum", 90, [("end/n", 42, [from_a]), ("late", 42, [("b", 36, [])])])
    assert tree(graph, "graph", hide_name_regexes=["w/.*"]) == ("_TFProfRoot", 109, [of_sum])


def test_scopes_that_are_not_counted_hold_those_that_are(graph):
    limits = {"account_type_regexes": ["Square", "Add.*"]}
    rows = [("end", 6, [("end/sum", 6, [])]), ("late", 6, []), ("w", 9, [])]
    assert tree(graph, "scope", limits=limits, hide_name_regexes=["w/.*"]) == ("_TFProfRoot", 21, rows)


def chain(*links):
    below = []
    for name, flops in reversed(links):
        below = [(name, flops, below)]
    return ("_TFProfRoot", 109, below)


def test_op_types_total_all_that_come_after_them(graph):
    four = chain(("Add", 109), ("Assign", 94), ("Const", 94), ("Identity", 94))
    assert tree(graph, "op", max_depth=3) == four
    names = {"start_name_regexes": ["Neg", "Sq.*"], "trim_name_regexes": ["VariableV2"]}
    found = chain(("Neg", 13), ("Placeholder", 7), ("RandomUniform", 7), ("Square", 7), ("Sub", 1))
    assert tree(graph, "op", **names) == found


def test_types_that_occur_often_and_nodes_that_ran(graph):
    assert tree(graph, "op", limits={"min_occurrence": 2}) == chain(("Add", 109), ("Const", 94), ("MatMul", 94))
    for view in ("scope", "graph"):
        assert tree(graph, view, limits={"min_occurrence": 1}) == ("_TFProfRoot", 109, [])


def test_the_root_counts_as_one_of_what_is_shown(graph):
    options = BUILDER(BUILDER.float_operation()).with_max_depth(2).with_min_float_operations(0).with_empty_output()
    found = tf.profiler.profile(graph, cmd="graph", options=options.account_displayed_op_only(True).build())
    assert found.total_definition_count == 1 + len(found.children)


def test_lines_that_are_trimmed_or_only_lead_to_others(graph, capsys):
    options = BUILDER(BUILDER.float_operation()).with_max_depth(9).with_accounted_types(["MatMul"])
    found = tf.profiler.profile(graph, cmd="code", options=options.build())
    assert found.total_float_ops == 72
    assert "--/72 flops" in capsys.readouterr().out
    options = options.with_node_names(trim_name_regexes=[".*"]).with_empty_output()
    found = tf.profiler.profile(graph, cmd="code", options=options.build())
    assert (found.total_float_ops, len(found.children)) == (72, 0)


def test_logs_of_nodes_that_are_not_in_the_graph(graph):
    log = protos.OpLogProto()
    log.log_entries.add(name="elsewhere", float_ops=1000)
    options = BUILDER(BUILDER.float_operation()).with_empty_output().build()
    assert tf.profiler.profile(graph, op_log=log, options=options).total_float_ops == 109


@pytest.mark.parametrize(
    "option", ["show_name_regexes", "hide_name_regexes", "start_name_regexes", "account_type_regexes"]
)
@pytest.mark.parametrize("view", ["scope", "op"])
def test_patterns_that_are_none(graph, view, option):
    options = BUILDER(BUILDER.float_operation()).with_empty_output().build()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"'\(a' is none"):
        tf.profiler.profile(graph, cmd=view, options={**options, option: ["(a"]})


def _run(graph, micros, device="/job:localhost/replica:0/task:0/device:CPU:0"):
    """A traced run in which operations took so long, one after the other."""
    run = protos.RunMetadata()
    there = run.step_stats.dev_stats.add(device=device)
    begin = 1000
    for name, taken in micros.items():
        there.node_stats.add(node_name=name, all_start_micros=begin, op_start_rel_micros=0, op_end_rel_micros=taken)
        begin += taken
    return run


def test_advice_tells_the_most_expensive(graph, capsys):
    advice = tf.profiler.advise(graph, _run(graph, {"a": 3000, "b": 1000, "late": 500, "end/sum": 20}))
    types, scopes, lines = advice.checkers["ExpensiveOperationChecker"].reports
    assert types.splitlines()[0] == (
        "top 1 operation type: MatMul, cpu: 4.00ms, accelerator: 0us, total: 4.00ms (88.50%)"
    )
    assert [line.split(",")[0] for line in scopes.splitlines()] == [
        f"top {i} graph node: {name}" for i, name in enumerate(["a", "b", "late"], 1)
    ]
    assert len(lines.splitlines()) == 2, "lines of less than a millisecond are left out"
    assert not advice.checkers["OperationChecker"].reports
    assert not advice.checkers["AcceleratorUtilizationChecker"].reports
    assert "\nOperationChecker:\n" in capsys.readouterr().out


def test_advice_without_a_run(graph, capsys):
    advice = tf.profiler.advise(graph)
    assert not advice.checkers["ExpensiveOperationChecker"].reports
    assert "needs a traced run" in capsys.readouterr().err


@pytest.mark.parametrize(("pause", "said"), [(0, "utilization: 1.00"), (300, "low utilization: 0.25")])
def test_advice_on_accelerators(graph, pause, said):
    run = _run(graph, {"a": 60, "b": 40}, "/device:GPU:0")
    run.step_stats.dev_stats[0].node_stats[1].all_start_micros += pause
    (report,) = tf.profiler.advise(graph, run).checkers["AcceleratorUtilizationChecker"].reports
    assert report == f"device: /device:gpu:0 {said}"


def test_advice_on_layouts_and_normalizations():
    with tf.Graph().as_default() as graph:
        images = tf.zeros([1, 4, 4, 2])
        tf.nn.conv2d(images, tf.zeros([3, 3, 2, 2]), strides=1, padding="SAME", name="c")
        tf.identity(images, name="BatchNorm/x")
    checkers = tf.profiler.advise(graph, _run(graph, {"c": 10}, "/device:GPU:0")).checkers
    batches, layout = checkers["OperationChecker"].reports
    assert "FusedBatchNorm" in batches
    assert "NCHW" in layout
