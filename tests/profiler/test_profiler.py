"""Reports, options and outputs of `tf.profiler`."""

import gzip
import json

import numpy as np
import pytest

import headrace as tf
from headrace.core.framework_ops import OpStats, RegisterStatistics
from headrace.messages import protos
from headrace.profiler import analyzer, report, statistics, views


@pytest.fixture(scope="module")
def traced():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.variable_scope("a"):
            w = tf.get_variable("w", [4, 3])
            y = tf.nn.relu(tf.matmul(x, w))
        loss = tf.reduce_sum(tf.square(y), name="loss")
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            sess.run([step, loss], {x: np.ones([5, 4])}, options=options, run_metadata=metadata)
    return graph, metadata


BUILDER = tf.profiler.ProfileOptionBuilder


def test_steps_have_the_shapes_of_the_run(traced):
    _, metadata = traced
    nodes = {node.node_name: node for device in metadata.step_stats.dev_stats for node in device.node_stats}
    sizes = [dim.size for dim in nodes["a/MatMul"].output[0].tensor_description.shape.dim]
    assert sizes == [5, 3]


@pytest.mark.parametrize("view", sorted(views.VIEWS))
def test_views_with_times(traced, view, capsys):
    graph, metadata = traced
    options = BUILDER(BUILDER.time_and_memory(min_bytes=0)).select(
        ["micros", "bytes", "occurrence", "op_types", "device"]
    )
    found = tf.profiler.profile(graph, metadata, cmd=view, options=options.build())
    text = capsys.readouterr().out
    assert found.name == "_TFProfRoot"
    assert found.total_exec_micros == found.total_cpu_exec_micros > 0
    assert isinstance(
        found, tf.profiler.GraphNodeProto if view in ("scope", "graph") else tf.profiler.MultiGraphNodeProto
    )
    assert (
        "node name | requested bytes | total execution time | accelerator execution time | cpu execution time" in text
    )
    expected = {"scope": "a/MatMul (", "graph": "a/MatMul (", "op": "MatMul ", "code": "test_profiler.py:"}[view]
    assert expected in text


def test_orders_and_names(traced):
    graph, _ = traced

    def names(**how):
        options = BUILDER(BUILDER.float_operation()).with_min_float_operations(0).with_empty_output()
        options = options.with_max_depth(how.pop("depth", 3)).with_node_names(**how).order_by("name").build()
        return [child.name for child in tf.profiler.profile(graph, options=options).children]

    everything = names()
    assert everything == sorted(everything)
    assert {"a", "loss", "gradients", "x"} <= set(everything)
    assert "gradients" not in names(hide_name_regexes=["gradients"])
    assert names(show_name_regexes=["a", "a/w"]) == ["a"]
    assert names(start_name_regexes=["a/w"]) == ["a/w"]
    options = BUILDER(BUILDER.trainable_variables_parameter()).with_empty_output()
    trimmed = options.with_node_names(trim_name_regexes=["a"]).build()
    found = tf.profiler.profile(graph, options=trimmed)
    assert [(child.name, len(child.children)) for child in found.children] == [("a", 0)]


def test_totals_of_what_is_not_shown(traced):
    graph, _ = traced
    for only_shown, expected in ((True, 0), (False, 12)):
        options = BUILDER(BUILDER.trainable_variables_parameter()).with_max_depth(2).with_empty_output()
        found = tf.profiler.profile(graph, options=options.account_displayed_op_only(only_shown).build())
        assert found.total_parameters == expected


def test_outputs(traced, tmp_path, capsys):
    graph, metadata = traced
    options = BUILDER(BUILDER.trainable_variables_parameter())
    tf.profiler.profile(graph, options=options.with_file_output(str(tmp_path / "report")).build())
    assert "a/w (4x3, 12/12 params)" in (tmp_path / "report").read_text()
    tf.profiler.profile(graph, metadata, options=options.with_timeline_output(str(tmp_path / "line")).build())
    assert json.loads((tmp_path / "line_0").read_text())["traceEvents"]
    assert capsys.readouterr().out == ""
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown output"):
        tf.profiler.profile(graph, options={**options.build(), "output": "screen"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: nope"):
        tf.profiler.profile(graph, cmd="nope")


@pytest.mark.parametrize(
    ("view", "selected"), [("scope", ["params"]), ("code", ["device"]), ("code", ["params", "bytes"])]
)
def test_what_pprof_does_not_take(traced, tmp_path, capsys, view, selected):
    graph, metadata = traced
    path = tmp_path / "p.pb.gz"
    options = BUILDER(BUILDER.trainable_variables_parameter()).select(selected).with_pprof_output(str(path)).build()
    tf.profiler.profile(graph, metadata, cmd=view, options=options)
    assert not path.exists()
    assert "pprof output is" in capsys.readouterr().err


def test_a_profile_for_pprof(traced, tmp_path):
    graph, metadata = traced
    path = tmp_path / "p.pb.gz"
    options = BUILDER(BUILDER.trainable_variables_parameter()).with_accounted_types([".*"]).select(["params"])
    options = options.with_max_depth(1000).with_pprof_output(str(path)).build()
    tf.profiler.profile(graph, metadata, cmd="code", options=options)
    profile = protos.Profile.FromString(gzip.decompress(path.read_bytes()))
    texts = profile.string_table
    assert [(texts[kind.type], texts[kind.unit]) for kind in profile.sample_type] == [
        ("count", "count"),
        ("params", "count"),
    ]
    # A sample for each operation, by name; the leaf is the operation, and the lines of this file lead to it.
    amounts = {texts[sample.label[0].str]: sample.value[1] for sample in profile.sample}
    assert amounts.keys() == {operation.name for operation in graph.get_operations()}
    assert amounts["a/w"] == 12
    functions = {function.id: texts[function.name] for function in profile.function}
    places = {place.id: functions[place.line[0].function_id] for place in profile.location}
    sample = next(sample for sample in profile.sample if texts[sample.label[0].str] == "a/w")
    assert places[sample.location_id[0]].startswith("tf:Variable")
    assert any(places[place].startswith("test_profiler:") for place in sample.location_id)


@pytest.mark.parametrize("view", ["name_scope", "operations", "graph", "python"])
def test_a_profile_read_from_a_file(traced, tmp_path, view):
    graph, metadata = traced
    profiler = tf.profiler.Profiler(graph)
    profiler.add_step(3, metadata)
    (tmp_path / "profile").write_bytes(profiler.serialize_to_string())
    options = BUILDER(BUILDER.time_and_memory(min_micros=0)).with_accounted_types([".*"]).with_empty_output().build()
    options["min_bytes"] = 0
    expected = getattr(profiler, f"profile_{view}")(options)
    read = tf.profiler.Profiler.__new__(tf.profiler.Profiler)
    analyzer.ProfilerFromFile(str(tmp_path / "profile"))
    try:
        for step in (-1, 3):
            assert getattr(read, f"profile_{view}")({**options, "step": step}) == expected
        assert read.serialize_to_string() == profiler.serialize_to_string()
    finally:
        analyzer.DeleteProfiler()
    with pytest.raises(tf.errors.FailedPreconditionError, match="ProfilerFromFile"):
        read.profile_name_scope(options)


@pytest.fixture
def read_profile(tmp_path):
    """A function that has profilers read a profile of constants of these names."""

    def read(names):
        profile = analyzer.protos.ProfileProto()
        for i, name in enumerate(names, 1):
            node = profile.nodes[i]
            node.name, node.op, node.id = name, "Const", i
            node.op_types.append("Const")
        (tmp_path / "nested").write_bytes(profile.SerializeToString())
        analyzer.ProfilerFromFile(str(tmp_path / "nested"))
        return tf.profiler.Profiler.__new__(tf.profiler.Profiler)

    yield read
    analyzer.DeleteProfiler()


def test_names_that_lie_in_thousands_of_scopes(read_profile):
    depth = 3000
    options = BUILDER(BUILDER.time_and_memory(min_micros=0)).with_accounted_types([".*"]).with_empty_output().build()
    options.update(min_bytes=0, max_depth=depth + 10)
    row = read_profile(["a/" * depth + "b", "a/c"]).profile_name_scope(options)
    names = [child.name for child in row.children[0].children]
    assert names == ["a/a", "a/c"]
    for level in range(1, depth):
        assert row.children[0].name == "/".join("a" * level)
        row = row.children[0]


def test_names_that_would_take_gigabytes_as_scopes_are_refused(read_profile):
    options = BUILDER(BUILDER.time_and_memory(min_micros=0)).with_accounted_types([".*"]).with_empty_output().build()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="too many scopes"):
        read_profile(["a/" * 100_000]).profile_name_scope(options)


def test_files_that_are_no_profile(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        analyzer.ProfilerFromFile(str(tmp_path / "nowhere"))
    (tmp_path / "text").write_bytes(b"\xff" * 20)
    with pytest.raises(tf.errors.DataLossError, match="is not a profile"):
        analyzer.ProfilerFromFile(str(tmp_path / "text"))


def _takes_what_is_not_there(profile):
    profile.nodes[0].inputs[0] = 77


def _time_without_length(profile):
    profile.nodes[0].execs[0].cpu_execs["cpu"].times.add(int64_values=[1])


@pytest.mark.parametrize(
    ("damage", "said"), [(_takes_what_is_not_there, r"takes \[77\]"), (_time_without_length, "is two numbers, got 1")]
)
def test_profiles_whose_parts_do_not_fit(damage, said, tmp_path):
    profile = protos.ProfileProto(steps=[0])
    profile.nodes[0].name = "a"
    damage(profile)
    (tmp_path / "profile").write_bytes(profile.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match=said):
        analyzer.ProfilerFromFile(str(tmp_path / "profile"))


@pytest.mark.parametrize("line", [("a.py", 3, "f"), ("C:\\a.py", 12, "<lambda>"), ("x", -1, "f:g"), ("", 0, "")])
def test_source_lines_come_apart(line):
    assert statistics.parts_of_line("{}:{}:{}".format(*line)) == line


def test_several_steps(traced, capsys):
    graph, metadata = traced
    profiler = tf.profiler.Profiler(graph)
    twice = tf.RunMetadata()
    twice.CopyFrom(metadata)
    for device in twice.step_stats.dev_stats:
        for node in device.node_stats:
            node.op_end_rel_micros *= 3
    profiler.add_step(3, metadata)
    profiler.add_step(4, twice)
    options = BUILDER(BUILDER.time_and_memory(min_micros=0, min_bytes=0)).with_empty_output()
    one, other, mean = (
        profiler.profile_operations(options.with_step(step).build()).total_exec_micros for step in (3, 4, -1)
    )
    assert other == 3 * one
    assert abs(mean - 2 * one) < 60  # each node's mean is a whole number
    with pytest.raises(tf.errors.InvalidArgumentError, match="step 7 was not added"):
        profiler.profile_graph(options.with_step(7).build())
    advice = profiler.advise()
    assert "top 1 operation type" in advice.checkers["ExpensiveOperationChecker"].reports[0]
    assert "ExpensiveOperationChecker:" in capsys.readouterr().out
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown checker"):
        profiler.advise({"Nothing": {}})
    assert protos.ProfileProto.FromString(profiler.serialize_to_string()).steps == [3, 4]
    assert profiler.profile_python(options.with_step(3).build()).total_exec_micros == one


def test_op_logs(traced, tmp_path):
    graph, metadata = traced
    tf.profiler.write_op_log(graph, str(tmp_path), run_meta=metadata)
    log = tf.profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in log.log_entries}
    assert entries["loss"].float_ops == 5 * 3 - 1
    assert list(entries["a/w"].types) == ["_trainable_variables"]
    assert log.id_to_string[entries["a/w"].code_def.traces[-1].file_id] == __file__


def test_counts_of_the_programs_own():
    @RegisterStatistics("Tanh", "flops")
    def count(graph, node):
        return OpStats("flops", 1000)

    with tf.Graph().as_default() as graph:
        tf.tanh(tf.zeros([2]))
        options = BUILDER(BUILDER.float_operation()).with_empty_output().build()
        assert tf.profiler.profile(options=options).total_float_ops == 1000
        assert statistics.op_log_of(graph).log_entries


def test_contrib_names(capsys):
    with tf.Graph().as_default() as graph:
        tf.Variable(tf.zeros([3, 2]), name="v")
        model_analyzer = tf.contrib.tfprof.model_analyzer
        found = model_analyzer.print_model_analysis(
            graph, tfprof_options=model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
        )
        assert found.total_parameters == 6
        assert "v (3x2, 6/6 params)" in capsys.readouterr().out
        assert tf.contrib.tfprof.tfprof_logger.write_op_log is analyzer.write_op_log


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (report.number(999), "999"),
        (report.number(1_500), "1.50k"),
        (report.number(33_970_311), "33.97m"),
        (report.number(5_000_000_000), "5.00b"),
        (report.memory(10), "10B"),
        (report.memory(2_500_000), "2.50MB"),
        (report.time(7), "7us"),
        (report.time(94_190), "94.19ms"),
        (report.time(2_000_000), "2.00sec"),
        (report.time(90_000_000), "1.50min"),
    ],
)
def test_numbers_for_people(made, text):
    assert made == text


def test_deep_graphs_are_profiled():
    with tf.Graph().as_default() as graph:
        y = tf.zeros([])
        for _ in range(3000):
            y = tf.negative(y)
        for view in views.VIEWS:
            options = BUILDER(BUILDER.float_operation()).with_empty_output().build()
            assert tf.profiler.profile(graph, cmd=view, options=options).total_float_ops == 3000
