"""Sessions on servers: of this process and by the network, their limits, their state, and the parts of their plans."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import headrace as tf
from headrace.cluster.channels import TaskChannel
from headrace.cluster.launching import free_addresses
from headrace.plan.invariants import checked


def _two_servers():
    """A product whose factors lie on two servers."""
    with tf.device("/job:ps/task:0"):
        a = tf.Variable(tf.ones([2, 3]), name="a")
    with tf.device("/job:ps/task:1"):
        b = tf.Variable(tf.fill([3, 1], 2.0), name="b")
    return a, b, tf.matmul(a, b)


@pytest.fixture(params=["here", "by the network"])
def target(request, cluster):
    yield cluster.target() if request.param == "here" else cluster.remote_target()
    tf.Session.reset(cluster.target())


def test_a_step_over_several_tasks(target):
    a, _, product = _two_servers()
    x = tf.placeholder(tf.float32, [None, 1])
    with tf.Session(target) as sess, checked():
        sess.run(tf.global_variables_initializer())
        value, text = sess.run([product + x, tf.constant("a")], {x: [[1.0], [2.0]]})
        np.testing.assert_array_equal(value, [[7.0], [8.0]])
        assert text == b"a"
        assert sess.run(a.op) is None
        # What comes out is the program's own, to write to.
        value += 1.0


def test_a_trace_names_the_devices_of_all_tasks(cluster):
    """As 1.15.5's does."""
    _, _, product = _two_servers()
    metadata = tf.RunMetadata()
    with tf.Session(cluster.target()) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(product * 2.0, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    seen = {stats.device for stats in metadata.step_stats.dev_stats}
    tasks = ("ps/replica:0/task:0", "ps/replica:0/task:1", "worker/replica:0/task:0")
    assert seen == {f"/job:{task}/device:CPU:0" for task in tasks}
    tf.Session.reset(cluster.target())


def test_a_graph_that_grows(target):
    _, _, product = _two_servers()
    with tf.Session(target) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(product)
        more = tf.reduce_sum(product)
        assert sess.run(more) == 12.0
        assert sess.make_callable(more * 2.0)() == 24.0


def test_functions_and_loops_travel(target):
    a, _, _ = _two_servers()

    with tf.device("/job:ps/task:1"):
        mapped = tf.map_fn(lambda row: row * 2.0 + tf.reduce_sum(a), tf.constant([1.0, 2.0]))
    with tf.Session(target) as sess, checked():
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(mapped), [8.0, 10.0])


def test_errors_name_task_operation_and_line(target):
    x = tf.placeholder(tf.int32, [])
    with tf.device("/job:ps/task:1"):
        picked = tf.gather(tf.constant([1.0, 2.0]), x, name="picked")
    with tf.Session(target) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"7 is not in \[0, 2\)") as caught:
            sess.run(picked, {x: 7})
        assert caught.value.op is picked.op
        assert "/job:ps/replica:0/task:1" in caught.value.message
        assert sess.run(picked, {x: 1}) == 2.0


def test_waits_end_by_time_and_by_close(target):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]], shared_name="never filled")
    taken = queue.dequeue()
    sess = tf.Session(target)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(taken, options=tf.RunOptions(timeout_in_ms=100))
    failures = []
    began = threading.Event()

    def wait():
        began.set()
        try:
            sess.run(taken)
        except tf.errors.CancelledError as error:
            failures.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    began.wait()
    while not sess._runtime.waits._open:
        pass
    sess.close()
    thread.join()
    assert len(failures) == 1


def test_what_waits_does_not_keep_others_from_going_on(cluster):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]], shared_name="between sessions")
    taken, put = queue.dequeue(), queue.enqueue(4.0)
    found = []
    takers = [tf.Session(cluster.target(index=i % 2)) for i in range(3)]
    threads = [threading.Thread(target=lambda sess=sess: found.append(sess.run(taken))) for sess in takers]
    for thread in threads:
        thread.start()
    with tf.Session(cluster.remote_target()) as sess:
        for _ in threads:
            sess.run(put)
    for thread in threads:
        thread.join()
    assert found == [4.0, 4.0, 4.0]


def test_an_enqueue_and_a_dequeue_of_one_step(target):
    x = tf.placeholder(tf.float32, [])
    with tf.device("/job:ps/task:1"):
        queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], shared_name="of one step")
    put, taken = queue.enqueue(x * 2.0), queue.dequeue()
    with tf.Session(target) as sess:
        assert sess.run([taken, put], {x: 3.0})[0] == 6.0


def test_partial_runs(target):
    a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
    first = a + b
    second = first * c
    with tf.Session(target) as sess:
        handle = sess.partial_run_setup([first, second], [a, b, c])
        assert sess.partial_run(handle, first, {a: 1.0, b: 2.0}) == 3.0
        assert sess.partial_run(handle, second, {c: 5.0}) == 15.0


def test_step_statistics_come_back(target):
    _, _, product = _two_servers()
    with tf.Session(target) as sess:
        sess.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        sess.run(product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        assert metadata.step_stats.dev_stats


def test_costs_are_measured_in_the_process_that_plans_the_steps(cluster):
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=1))
    value = tf.constant(2.0) * 3.0
    with tf.Session(cluster.target(), config=config) as sess:
        metadata = tf.RunMetadata()
        assert sess.run(value, run_metadata=metadata) == 6.0
        assert metadata.HasField("cost_graph")
    with pytest.raises(NotImplementedError, match="build_cost_model"):
        tf.Session(cluster.remote_target(), config=config)


def test_devices_are_those_of_the_cluster(target):
    with tf.Session(target) as sess:
        names = [device.name for device in sess.list_devices() if device.device_type == "CPU"]
        assert sorted(names) == [
            f"/job:{job}/replica:0/task:{i}/device:CPU:0" for job in ("ps", "worker") for i in (0, 1)
        ]
        assert all(device.memory_limit_bytes > 0 for device in sess.list_devices())


def test_each_task_is_called_once_a_round(cluster):
    """Variables are pulled in one call a server, and updates pushed in one."""
    x = tf.placeholder(tf.float32, [None, 3])
    with tf.device(tf.train.replica_device_setter(cluster=cluster.spec, worker_device="/job:worker/task:0")):
        loss = tf.reduce_mean(tf.layers.dense(tf.layers.dense(x, 4), 1))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session(cluster.target()) as sess:
        plan = sess.plan_for([train], [x])
        assert plan.source.count("_RemoteCall") == 4
        lines = [line.split(" = ")[-1].strip() for line in plan.source.splitlines() if "_Remote" in line]
        # All are under way before any is waited for.
        assert [line.startswith("_RemoteCall") for line in lines[:4]] == [True, True, False, False]


def test_state_of_references_is_read_where_it_is_used(cluster):
    """As in TensorFlow the value of a reference is the variable's memory: who uses it after an update sees the update."""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
        read = v.value()
    x = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([v.assign_add(x)]), tf.device("/job:ps/task:0"):
        later = read + 0.0 * x
    with tf.Session(cluster.target()) as sess:
        sess.run(v.initializer)
        assert sess.run(later, {x: 2.0}) == 3.0
    tf.Session.reset(cluster.target())


_CONSTANT_GRADIENTS = {
    "the variable": lambda v, _: v,
    "its value": lambda v, _: v.value(),
    "a loss of the worker": lambda v, _: tf.reduce_sum(v),
    "what waits for the update": lambda v, update: _after(update, v),
    "text": lambda v, _: tf.as_string(v),
}


def _after(update, v):
    with tf.control_dependencies([update]):
        return v * 1.0


@pytest.mark.parametrize("kind", _CONSTANT_GRADIENTS)
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_a_worker_reads_a_reference_before_an_update_that_waits_for_nothing(target, kind, rate):
    """What leaves for the worker leaves at the beginning of a step, as in 1.15.5, though the gradient is a constant."""
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", [4], initializer=tf.ones_initializer(), use_resource=False)
    with tf.device("/job:worker/task:0"):
        update = tf.train.GradientDescentOptimizer(rate).minimize(-tf.reduce_sum(v))
        fetch = _CONSTANT_GRADIENTS[kind](v, update)
        alone = _CONSTANT_GRADIENTS[kind](v, tf.no_op())
    with tf.Session(target) as sess, checked():
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            expected = sess.run(alone)
            np.testing.assert_array_equal(sess.run([update, fetch])[1], expected)
            np.testing.assert_array_equal(sess.run(v), np.full(4, 1.0 + rate * (step + 1)))


def test_a_read_that_waits_for_an_update_sees_it(target):
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=False)
        added = tf.assign_add(v, [1.0, 2.0])
        with tf.control_dependencies([added]):
            read = v.read_value()
    with tf.device("/job:worker/task:0"):
        fetches = [read * 1.0, added * 1.0, added]
    with tf.Session(target) as sess, checked():
        sess.run(v.initializer)
        for step in (1.0, 2.0):
            for value in sess.run(fetches):
                np.testing.assert_array_equal(value, [1.0 + step, 1.0 + 2.0 * step])


def test_a_reset_ends_the_sessions_that_were_there(cluster):
    with tf.device("/job:ps/task:0"), tf.container("kept"):
        kept = tf.Variable(1.0, name="kept")
    with tf.device("/job:ps/task:0"), tf.container("gone"):
        gone = tf.Variable(2.0, name="gone")
    for target in (cluster.target(), cluster.remote_target()):
        sess = tf.Session(target)
        sess.run([kept.initializer, gone.initializer])
        tf.Session.reset(target, ["gone"])
        with pytest.raises(tf.errors.AbortedError, match="is not found"):
            sess.run(kept)
        with tf.Session(target) as again:
            assert again.run(kept) == 1.0
            with pytest.raises(tf.errors.FailedPreconditionError):
                again.run(gone)
    tf.Session.reset(cluster.target())


def test_a_target_without_a_server():
    with pytest.raises(tf.errors.NotFoundError):
        tf.Session("elsewhere")
    with pytest.raises(tf.errors.InvalidArgumentError, match="host-port"):
        tf.Session("grpc://host")
    one = tf.constant(1.0)
    sess = tf.Session("grpc://127.0.0.1:1", config=tf.ConfigProto(operation_timeout_in_ms=200))
    for act in (lambda: sess.run(one), sess.list_devices):
        with pytest.raises(tf.errors.DeadlineExceededError):
            act()


def test_a_session_waits_for_a_server_that_is_started_later(monkeypatch):
    """As in 1.15.5: clients may come first."""
    (address,) = free_addresses(1)
    waits, started = TaskChannel.wait_until_ready, []

    def starts_it(channel, timeout):
        started.append(tf.train.Server({"late": [address]}))
        return waits(channel, 60)

    monkeypatch.setattr(TaskChannel, "wait_until_ready", starts_it)
    with tf.Session(f"grpc://{address}") as sess:
        assert sess.run(tf.constant(2.0) * 3.0) == 6.0
    assert len(started) == 1


def test_cpus_are_those_of_the_server():
    """As in 1.15.5: what a session asks for counts without a server only."""
    config = tf.ConfigProto(device_count={"CPU": 2})
    server = tf.train.Server.create_local_server(config=config)
    for count in (1, 2, 1 << 30):
        config.device_count["CPU"] = count
        for target in (server.target, server.target.replace("localhost", "127.0.0.1")):
            with tf.Session(target, config=config) as sess:
                names = [device.name for device in sess.list_devices() if device.device_type == "CPU"]
            assert names == [f"/job:local/replica:0/task:0/device:CPU:{number}" for number in range(2)]


@pytest.mark.parametrize(
    ("job", "index", "error", "told"),
    [
        ("chief", 0, tf.errors.InternalError, 'Job "chief" was not defined in cluster'),
        ("worker", 5, tf.errors.InvalidArgumentError, 'Task 5 was not defined in job "worker"'),
    ],
)
def test_a_server_of_a_task_that_the_cluster_has_not(job, index, error, told):
    with pytest.raises(error, match=told):
        tf.train.Server({"worker": ["localhost:1"], "ps": ["localhost:2"]}, job, index)


def test_a_server_that_the_program_does_not_keep_goes_on():
    target = tf.train.Server.create_local_server().target
    gc.collect()
    with tf.Graph().as_default():
        variable = tf.Variable(3.0, name="of_a_server_not_kept")
        with tf.Session(target) as sess:
            sess.run(variable.initializer)
        with tf.Session(target) as sess:
            assert sess.run(variable + 1.0) == 4.0


def _own_cluster(*addresses):
    return tf.ConfigProto(cluster_def=tf.train.ClusterSpec({"local": addresses}).as_cluster_def())


def test_a_session_may_describe_the_cluster_of_its_server():
    server = tf.train.Server.create_local_server()
    with tf.Graph().as_default():
        state = tf.Variable(2.0, name="of_the_servers_cluster")
        with tf.Session(server.target) as sess:
            sess.run(state.initializer)
        # Not a cluster of its own: the state is the server's.
        with tf.Session(server.target, config=_own_cluster("localhost:0")) as sess:
            with pytest.raises(tf.errors.InvalidArgumentError, match="no task at grpc://localhost"):
                tf.Session(server.target, config=_own_cluster("localhost:1", "localhost:2"))
            assert sess.run(state) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="/job:local/replica:0/task:0, as the server's own"):
            tf.Session(server.target, config=_own_cluster(server.target.removeprefix("grpc://"), "localhost:2"))


def test_state_without_a_shared_name_is_a_session_s_own(target):
    """Two sessions of one server: queues, iterators, accumulators and tables that are given no name to share."""
    numbers = tf.data.make_initializable_iterator(tf.data.Dataset.range(10))
    number, once = numbers.get_next(), tf.data.make_one_shot_iterator(tf.data.Dataset.range(10)).get_next()
    queue = tf.FIFOQueue(5, tf.int32)
    gradients = tf.ConditionalAccumulator(tf.float32, shape=[])
    table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1, checkpoint=False)
    sizes = [queue.size(), gradients.num_accumulated(), table.size()]
    fill = [
        numbers.initializer,
        queue.enqueue(1),
        gradients.apply_grad(1.0),
        table.insert([1], tf.constant([5], tf.int64)),
    ]
    with tf.Session(target) as first, tf.Session(target) as second:
        first.run(fill)
        assert first.run([number, once]) == [0, 0]
        assert first.run(sizes) == [1, 1, 1]
        with pytest.raises(tf.errors.FailedPreconditionError):
            second.run(number)
        assert second.run(once) == 0
        assert second.run(sizes) == [0, 0, 0]
        assert first.run([number, once]) == [1, 1]


def test_state_with_a_shared_name_is_the_server_s(target):
    numbers = tf.data.make_initializable_iterator(tf.data.Dataset.range(10), shared_name="numbers")
    number = numbers.get_next()
    queue = tf.FIFOQueue(5, tf.int32, shared_name="queue")
    table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)
    with tf.Session(target) as first, tf.Session(target) as second:
        first.run([numbers.initializer, queue.enqueue(1), table.insert([1], tf.constant([5], tf.int64))])
        assert [first.run(number), second.run(number), first.run(number)] == [0, 1, 2]
        assert second.run([queue.size(), table.size()]) == [1, 1]


def test_iterators_of_one_name_in_two_programs(cluster):
    """The elements of one are not of the types of the other."""
    with tf.Session(cluster.target()) as sess:
        assert sess.run(tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()) == 0
    with tf.Graph().as_default():
        both = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors((1.0, 2.0))).get_next()
        with tf.Session(cluster.target()) as sess:
            assert sess.run(both) == (1.0, 2.0)
    tf.Session.reset(cluster.target())


def test_a_reset_of_a_container_empties_its_queues_and_tables(cluster):
    sizes = []
    for container in ("one", "other"):
        with tf.container(container):
            queue = tf.FIFOQueue(3, tf.int32, shared_name="queue")
            table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)
        fill = tf.group(queue.enqueue(1), table.insert([1], tf.constant([5], tf.int64)))
        sizes += [queue.size(), table.size()]
        with tf.Session(cluster.target()) as sess:
            sess.run(fill)
    tf.Session.reset(cluster.target(), ["one"])
    with tf.Session(cluster.target()) as sess:
        assert sess.run(sizes) == [0, 0, 1, 1]
    tf.Session.reset(cluster.target())
