"""Watched runs, the files they write, and reading them back."""

import re

import numpy as np
import pytest

import headrace as tf
from headrace.debug import debug_graphs, dump_files, hooks, remote, sessions, values, watch_options
from headrace.debug.dump_dir import DebugDumpDir, WatchKeyDoesNotExistInDebugDumpDirError


@pytest.fixture
def program():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable(np.eye(2, dtype=np.float32), name="w")
        with tf.name_scope("layer"):
            y = tf.matmul(x, w, name="y")
        _, total = tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0), [tf.constant(0), tf.reduce_sum(y)], name="lp"
        )
        out = tf.cond(total > 0, lambda: tf.log(total, name="taken"), lambda: tf.exp(total, name="other"), name="c")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            yield sess, x, w, out


def watched(sess, fetches, feeds, folder, **how):
    options = tf.RunOptions(output_partition_graphs=True)
    metadata = tf.RunMetadata()
    watch_options.watch_graph(options, sess.graph, debug_urls=f"file://{folder}", **how)
    result = sess.run(fetches, feeds, options=options, run_metadata=metadata)
    return result, metadata, DebugDumpDir(str(folder), metadata.partition_graphs)


def test_every_tensor_of_the_run_is_dumped(program, tmp_path):
    sess, x, _, out = program
    feeds = {x: [[1.0, 2.0]]}
    result, metadata, dump = watched(sess, out, feeds, tmp_path / "d")
    assert result == sess.run(out, feeds) == pytest.approx(np.log(24.0))
    assert [node.name for node in metadata.partition_graphs[0].node] == dump.nodes()
    np.testing.assert_array_equal(dump.get_tensors("layer/y", 0, "DebugIdentity"), [[[1.0, 2.0]]])
    np.testing.assert_array_equal(dump.get_tensors("w", 0, "DebugIdentity"), [np.eye(2)])
    assert dump.get_tensors("lp/mul", 0, "DebugIdentity") == [6.0, 12.0, 24.0]
    assert dump.debug_watch_keys("c/taken") or dump.debug_watch_keys("taken")
    names = {datum.node_name for datum in dump.dumped_tensor_data}
    assert not any("other" in name and "Switch" not in name for name in names)
    stamps = [datum.timestamp for datum in dump.dumped_tensor_data]
    assert stamps == sorted(set(stamps))
    assert dump.core_metadata.input_names == ["x:0"]
    assert dump.core_metadata.output_names == [out.name]


def test_state_after_a_watched_training_step_is_as_after_a_plain_one(tmp_path):
    def train(debugged):
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            w = tf.Variable([1.0, -2.0])
            loss = tf.reduce_sum(tf.square(w) * 3.0)
            step = tf.train.AdamOptimizer(0.1).minimize(loss)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for i in range(3):
                    if debugged:
                        watched(sess, [step, loss], None, tmp_path / str(i))
                    else:
                        sess.run([step, loss])
                return sess.run(w)

    np.testing.assert_allclose(train(True), train(False), rtol=1e-6)


def test_graph_of_a_dump(program, tmp_path):
    sess, x, _, out = program
    _, _, dump = watched(sess, out, {x: [[1.0, 2.0]]}, tmp_path / "d")
    again = DebugDumpDir(str(tmp_path / "d"))
    for found in (dump, again):
        assert found.node_inputs("layer/y") == ["x", "w/read"]
        assert found.node_recipients("w") == ["w/read"]
        assert found.node_op_type("layer/y") == "MatMul"
        assert found.transitive_inputs("layer/y") == ["x", "w/read", "w"]
        assert found.find_some_path("w", "layer/y") == ["w", "w/read", "layer/y"]
        assert found.find_some_path("layer/y", "w") is None
        assert found.node_attributes("layer/y")["transpose_a"].b is False
        assert found.node_device("w").endswith("CPU:0")
    with pytest.raises(LookupError, match="Python graph"):
        dump.node_traceback("w")
    dump.set_python_graph(sess.graph)
    assert dump.node_traceback("layer/y")[-1][0] == __file__
    with pytest.raises(ValueError, match="has a node named"):
        dump.node_inputs("nowhere")
    with pytest.raises(WatchKeyDoesNotExistInDebugDumpDirError):
        dump.get_tensors("nowhere", 0, "DebugIdentity")


def test_a_failing_run_leaves_what_it_has_made(program, tmp_path):
    sess, x, _, _ = program
    with sess.graph.as_default():
        bad = tf.check_numerics(tf.log(x, name="logs"), "no", name="bad")
    options = tf.RunOptions()
    watch_options.watch_graph(options, sess.graph, debug_urls=[f"file://{tmp_path}/d"])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"no : Tensor had Inf[\s\S]*bad"):
        sess.run(bad, {x: [[0.0, 1.0]]}, options=options)
    found = DebugDumpDir(f"{tmp_path}/d").find(values.has_inf_or_nan)
    assert [datum.tensor_name for datum in found] == ["logs:0"]


def test_uninitialized_variables_are_told_apart(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([0.0], name="v")
        _, _, dump = watched(sess, v.initializer, None, tmp_path / "d")
        first = dump.get_tensors("v", 0, "DebugIdentity")[0]
        assert isinstance(first, values.InconvertibleTensorProto)
        assert not first.initialized
        assert not values.has_inf_or_nan(None, first)
        np.testing.assert_array_equal(dump.get_tensors("v/Assign", 0, "DebugIdentity"), [[0.0]])


@pytest.mark.parametrize(
    ("array", "arguments", "expected"),
    [
        ([np.nan, -np.inf, -1.0, 0.0, 2.0, np.inf], "", [1, 6, 1, 1, 1, 1, 1, 1, -1, 2, 1 / 3, 14 / 9, 1, 1, 6]),
        ([-3.0, 0.5, 9.0], "(lower_bound=-1.0;upper_bound=5.0)", [1, 3, 0, 1, 0, 0, 1, 1]),
        ([1, -1], "", [1, 2, 0, 0, 1, 0, 1, 0, -1, 1, 0, 1]),
    ],
)
def test_numeric_summary(array, arguments, expected):
    array = np.array(array, np.float32 if isinstance(array[0], float) else np.int32)
    made = dump_files.applied("DebugNumericSummary" + arguments, array, tf.as_dtype(array.dtype))
    np.testing.assert_allclose(made[: len(expected)], expected, rtol=1e-6)


def test_debug_ops_that_are_none():
    with pytest.raises(ValueError, match="There is no debug op 'DebugNothing'"):
        dump_files.applied("DebugNothing", np.zeros(1), tf.float64)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"not valid for debug node .*: speed"):
        dump_files.applied("DebugIdentity(speed=3)", np.zeros(1), tf.float64)
    assert dump_files.applied("DebugNanCount", np.array([np.nan, 1.0]), tf.float64) == [1]


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({"node_name_regex_whitelist": "layer/"}, {"layer/y"}),
        ({"op_type_regex_whitelist": "MatMul|Placeholder"}, {"layer/y", "x"}),
        ({"tensor_dtype_regex_whitelist": "bool", "node_name_regex_whitelist": "lp"}, {"lp/Less"}),
    ],
)
def test_watching_part_of_a_graph(program, tmp_path, how, names):
    sess, x, _, out = program
    _, _, dump = watched(sess, out, {x: [[1.0, 2.0]]}, tmp_path / "d", **how)
    assert {datum.node_name for datum in dump.dumped_tensor_data} == names


def test_blacklists(program):
    sess = program[0]
    options = tf.RunOptions()
    watch_options.watch_graph_with_blacklists(
        options, sess.graph, debug_urls="file:///d", op_type_regex_blacklist="(?!MatMul|Mul)"
    )
    watches = options.debug_options.debug_tensor_watch_opts
    assert {watch.node_name for watch in watches} == {"layer/y", "lp/mul"}
    with pytest.raises(ValueError, match="debug_urls must not be empty"):
        watch_options.watch_graph(options, sess.graph)


def test_unknown_urls_are_refused(program):
    sess, x, _, out = program
    options = tf.RunOptions()
    watch_options.watch_graph(options, sess.graph, debug_urls="grpc://localhost:6064")
    with pytest.raises(NotImplementedError, match="file:// URL"):
        sess.run(out, {x: [[1.0, 2.0]]}, options=options)
    for made in (remote.TensorBoardDebugWrapperSession, remote.GrpcDebugHook):
        with pytest.raises(NotImplementedError, match="gRPC"):
            made("localhost:6064")


def test_dumping_wrapper(program, tmp_path):
    sess, x, _, out = program
    seen = []

    def watch(fetches, feeds):
        seen.append((fetches, feeds))
        return sessions.WatchOptions(node_name_regex_whitelist="layer")

    wrapper = sessions.DumpingDebugWrapperSession(sess, str(tmp_path / "root"), watch_fn=watch)
    feeds = {x: [[1.0, 2.0]]}
    for _ in range(2):
        assert wrapper.run(out, feeds) == pytest.approx(np.log(24.0))
    assert wrapper.run([]) == []
    assert seen == [(out, feeds)] * 2
    folders = sorted((tmp_path / "root").iterdir())
    assert [folder.name.rpartition("_")[2] for folder in folders] == ["0", "1"]
    dump = DebugDumpDir(str(folders[1]))
    assert [datum.watch_key for datum in dump.dumped_tensor_data] == ["layer/y:0:DebugIdentity"]
    assert dump.run_fetches_info == repr(out)
    assert "x:0" in dump.run_feed_keys_info
    with pytest.raises(ValueError, match="non-empty"):
        sessions.DumpingDebugWrapperSession(sess, str(tmp_path / "root"))
    with pytest.raises(TypeError, match="watch_fn"):
        sessions.DumpingDebugWrapperSession(sess, str(tmp_path / "other"), watch_fn=3)
    with pytest.raises(TypeError, match="Expected type"):
        sessions.DumpingDebugWrapperSession("sess", str(tmp_path / "other"))


def test_dumping_wrapper_only_in_threads_of_a_name(program, tmp_path):
    sess, x, _, out = program
    wrapper = sessions.DumpingDebugWrapperSession(sess, str(tmp_path / "root"), thread_name_filter="Other")
    wrapper.run(out, {x: [[1.0, 2.0]]})
    assert not list((tmp_path / "root").iterdir())


def test_dumping_hook(tmp_path):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1)
        hook = hooks.DumpingDebugHook(str(tmp_path / "root"))
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as sess:
            assert [sess.run(train) for _ in range(2)] == [1, 2]
    folders = sorted((tmp_path / "root").iterdir())
    assert len(folders) == 2
    dump = DebugDumpDir(str(folders[1]))
    assert dump.get_tensors(train.op.name, 0, "DebugIdentity") == [2]


def test_graphs_of_tensorflows_own_debugger_are_cleaned():
    graph = tf.GraphDef()
    graph.node.add(name="a", op="Const")
    graph.node.add(name="__copy_a_0", op="Copy", input=["a"])
    graph.node.add(name="__dbg_a:0_0_DebugIdentity", op="DebugIdentity", input=["__copy_a_0"])
    graph.node.add(name="b", op="Neg", input=["__copy_a_0", "^__dbg_a:0_0_DebugIdentity", "^a"])
    clean = debug_graphs.reconstruct_non_debug_graph_def(graph)
    assert [(node.name, list(node.input)) for node in clean.node] == [("a", []), ("b", ["a", "^a"])]


def test_runs_that_wait(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.FIFOQueue(4, tf.float32, shapes=[[]])
        put = queue.enqueue(tf.constant(3.0, name="given"), name="put")
        taken = tf.multiply(queue.dequeue(), 2.0, name="doubled")
        _, _, dump = watched(sess, [taken, put], None, tmp_path / "d")
        assert dump.get_tensors("doubled", 0, "DebugIdentity") == [6.0]
        assert dump.get_tensors("given", 0, "DebugIdentity") == [3.0]


@pytest.mark.parametrize("change", ["value", "type", "content", "bytes"])
def test_dumped_tensors_that_are_none_name_their_file(program, tmp_path, change):
    sess, x, _, _ = program
    _, _, dump = watched(sess, "layer/y:0", {x: [[1.0, 2.0]]}, tmp_path / "d")
    (datum,) = dump.watch_key_to_data("layer/y:0:DebugIdentity")
    event = values.load_event(datum.file_path)
    tensor = event.summary.value[0].tensor
    if change == "value":
        del event.summary.value[:]
    elif change == "type":
        tensor.dtype = 999
    elif change == "content":
        tensor.tensor_content = b"\0" * 3
    data = b"\xff" if change == "bytes" else event.SerializeToString()
    with open(datum.file_path, "wb") as file:
        file.write(data)
    with pytest.raises(tf.errors.DataLossError, match=re.escape(datum.file_path)):
        datum.get_tensor()
