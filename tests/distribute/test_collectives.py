"""Collectives in plans: how members come together, what buckets hold, and what a missing one meets."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import headrace as tf
from headrace.kernels.collective.call import Collective
from headrace.ops.collective import nccl
from headrace.ops.collective.collective import all_gather, all_reduce, broadcast_recv, broadcast_send
from headrace.plan import collectives as collective_pass
from headrace.plan.invariants import checked

CPUS = tf.ConfigProto(device_count={"CPU": 3})


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def on_cpus(make, count=2):
    made = []
    for i in range(count):
        with tf.device(f"/cpu:{i}"):
            made.append(make(i))
    return made


def sums(value, instance=1, size=2, group=1):
    return on_cpus(lambda i: all_reduce(value + i, size, group, instance, "Add", "Id"), size)


def types_of(session, fetches, feeds=()):
    return [node.type for node in session.plan_for(fetches, list(feeds)).nodes]


def test_members_of_one_plan_are_one_node():
    x = tf.placeholder(tf.float32, [2])
    both = sums(x)
    with tf.Session(config=CPUS) as sess, checked():
        types = types_of(sess, both, [x])
        assert types.count("_Collective") == 1
        assert "CollectiveReduce" not in types
        np.testing.assert_array_equal(sess.run(both, {x: [1.0, 2.0]}), [[3.0, 5.0]] * 2)


def test_members_of_two_steps_meet():
    first, second = sums(tf.constant([1.0, 2.0]))
    with tf.Session(config=CPUS) as sess:
        found = []
        thread = threading.Thread(target=lambda: found.append(sess.run(first)))
        thread.start()
        np.testing.assert_array_equal(sess.run(second), [3.0, 5.0])
        thread.join()
        np.testing.assert_array_equal(found, [[3.0, 5.0]])


def test_a_missing_member_meets_the_time_limit(monkeypatch):
    monkeypatch.setenv("HEADRACE_COLLECTIVE_TIMEOUT_SECONDS", "0.05")
    first, _ = sums(tf.constant([1.0]))
    with tf.Session(config=CPUS) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"1 of 2 are there \(.*CPU:0\)"):
            sess.run(first)
        # Who has given up is not there any more.
        monkeypatch.setenv("HEADRACE_COLLECTIVE_TIMEOUT_SECONDS", "nothing")
        with pytest.raises(tf.errors.OpError, match="must be a number of seconds above 0"):
            sess.run(first)


def test_what_does_not_fit_together_is_refused():
    with tf.Session(config=CPUS) as sess:
        with tf.device("/cpu:0"):
            same = [all_reduce(tf.constant([1.0 + i]), 2, 1, 1, "Add", "Id") for i in range(2)]
        with pytest.raises(tf.errors.InvalidArgumentError, match="a device takes part once"):
            sess.run(same)
        contrary = on_cpus(lambda i: all_reduce(tf.constant([1.0]), 2, 1, 2, ("Add", "Mul")[i], "Id"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="contradict"):
            sess.run(contrary)
        shapes = on_cpus(lambda i: all_reduce(tf.ones([1 + i]), 2, 1, 3, "Add", "Id"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of the members of a collective differ"):
            sess.run(shapes)
        silent = on_cpus(lambda i: broadcast_recv([1], tf.float32, 2, 1, 4))
        with pytest.raises(tf.errors.InvalidArgumentError, match="no member that sends"):
            sess.run(silent)


def test_collectives_that_wait_for_each_other_are_told_of():
    with tf.device("/cpu:0"):
        a = all_reduce(tf.ones([1]), 2, 1, 1, "Add", "Id")
        b = all_reduce(a * 2.0, 2, 1, 2, "Add", "Id")
    with tf.device("/cpu:1"):
        c = all_reduce(tf.ones([1]), 2, 1, 2, "Add", "Id")
        d = all_reduce(c * 2.0, 2, 1, 1, "Add", "Id")
    with tf.Session(config=CPUS) as sess, pytest.raises(tf.errors.InvalidArgumentError, match="wait for each other"):
        sess.run([b, d])


def test_in_branches_and_loops():
    x = tf.placeholder(tf.float32, [1])

    def body(i, total):
        first, second = sums(total, instance=5)
        return i + 1, first + 0.0 * second

    looped = tf.while_loop(lambda i, total: i < 3, body, [0, x])[1]
    chosen = tf.cond(x[0] > 0.0, lambda: tf.add_n(sums(x, instance=6)), lambda: x)
    with tf.Session(config=CPUS) as sess, checked():
        # Each iteration makes 2 t + 1 of t.
        np.testing.assert_allclose(sess.run(looped, {x: [1.0]}), [15.0])
        np.testing.assert_allclose(sess.run(chosen, {x: [1.0]}), [6.0])
        np.testing.assert_allclose(sess.run(chosen, {x: [-1.0]}), [-1.0])


def test_gather_and_broadcast():
    gathered = on_cpus(lambda i: all_gather(tf.fill([1, 2], float(i)), 3, 1, 1), 3)
    sent = on_cpus(
        lambda i: (
            broadcast_send(tf.constant([7.0]), [1], tf.float32, 2, 2, 1)
            if i
            else broadcast_recv([1], tf.float32, 2, 2, 1)
        )
    )
    with tf.Session(config=CPUS) as sess, checked():
        np.testing.assert_array_equal(sess.run(gathered), [[[0, 0], [1, 1], [2, 2]]] * 3)
        np.testing.assert_array_equal(sess.run(sent), [[7.0]] * 2)


def test_nccl_operations_and_their_gradients():
    xs = on_cpus(lambda i: tf.constant([1.0 + i, 3.0]), 3)
    with tf.Session(config=CPUS) as sess, checked():
        for reduce, expected in ((nccl.all_sum, [6, 9]), (nccl.all_prod, [6, 27]), (nccl.all_min, [1, 3])):
            np.testing.assert_array_equal(sess.run(reduce(xs)), [expected] * 3)
        np.testing.assert_array_equal(sess.run(nccl.all_max(xs)), [[3, 3]] * 3)
        totals = nccl.all_sum(xs)
        weighted = [total * float(i) for i, total in enumerate(totals)]
        # Each of the three sums has each x once: 0 + 1 + 2.
        np.testing.assert_array_equal(sess.run(tf.gradients(weighted, xs)), [[3.0, 3.0]] * 3)
        with tf.device("/cpu:1"):
            total = nccl.reduce_sum(xs)
        np.testing.assert_array_equal(sess.run(total), [6, 9])
        np.testing.assert_array_equal(sess.run(tf.gradients(total * 5.0, xs)), [[5.0, 5.0]] * 3)
        spread = nccl.broadcast(xs[0])
        used = on_cpus(lambda i: spread * (i + 2.0))
        np.testing.assert_array_equal(sess.run(tf.gradients(used, xs[0])), [[5.0, 5.0]])
        with pytest.raises(LookupError, match="except sum"):
            tf.gradients(nccl.all_max(xs), xs)


def test_nccl_operations_refuse():
    with pytest.raises(ValueError, match="Must pass >0 tensors"):
        nccl.all_sum([])
    with pytest.raises(ValueError, match="Device assignment required"):
        nccl.all_sum([tf.ones([2])])
    xs = on_cpus(lambda i: tf.ones([2]))
    with tf.device("/cpu:2"), pytest.raises(ValueError, match="assigned to current device"):
        nccl.reduce_sum(xs)


class Part(SimpleNamespace):
    """A node or a value of a plan, which is itself and no other."""

    __hash__ = object.__hash__


def start(number, size, instance, inputs=(), merge="Add"):
    """A node that begins a reduction between processes, as far as buckets look at it."""
    collective = Collective("reduce", 1, 2, instance, ("/cpu:0",), None, merge=merge)
    taken = Part(dims=(size,), dtype=tf.float32, node=None)
    node = Part(
        type="_CollectiveStart",
        name=f"s{number}",
        inputs=[taken],
        control=list(inputs),
        guard=(),
        early=False,
        notes={"collective": collective},
        runtime=SimpleNamespace(collectives=object()),
    )
    taken.node = node
    return node


def test_what_buckets_hold():
    million = 1 << 20
    small = [start(i, 1000, i) for i in range(3)]
    assert collective_pass._buckets(small) == [small]
    large = [start(i, million * 3 // 4, i) for i in range(3)]
    assert collective_pass._buckets(large) == [[node] for node in large]
    dependent = start(9, 1000, 9, inputs=[small[0]])
    assert collective_pass._buckets([*small, dependent]) == [small, [dependent]]
    other = start(8, 1000, 8, merge="Mul")
    assert collective_pass._buckets([small[0], other, small[1]]) == [[small[0]], [other], [small[1]]]
    unknown = start(7, None, 7)
    assert collective_pass._buckets([unknown, small[0]]) == [[unknown], [small[0]]]


def test_buckets_between_servers():
    workers, _ = tf.test.create_local_cluster(2, 0)
    graphs, fetches = [tf.Graph(), tf.Graph()], []
    for i, graph in enumerate(graphs):
        with graph.as_default(), tf.device(f"/job:worker/task:{i}/cpu:0"):
            values = [tf.fill([3 + k], float(i + k)) for k in range(4)]
            fetches.append([all_reduce(value, 2, 1, 10 + k, "Add", "Div") for k, value in enumerate(values)])
    found = [None, None]

    def run(i):
        config = tf.ConfigProto(device_filters=[f"/job:worker/task:{i}"])
        with tf.Session(workers[i].target, graph=graphs[i], config=config) as sess:
            assert types_of(sess, fetches[i]).count("_CollectiveStart") == 1
            found[i] = [sess.run(fetches[i]) for _ in range(3)]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for of_worker in found:
        for values in of_worker:
            for k, value in enumerate(values):
                np.testing.assert_array_equal(value, np.full(3 + k, k + 0.5, np.float32))
