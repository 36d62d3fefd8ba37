"""tf.test.TestCase: its sessions, its checks (what they accept, what they raise), decorators of test methods."""

import unittest

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import test_util
from tensorflow.python.platform import googletest

results = {}


def outcome(action):
    try:
        action()
    except unittest.SkipTest:
        return "skipped"
    except Exception as error:
        return type(error).__name__
    return "fine"


class Checks(tf.test.TestCase):
    def runTest(self):
        pass


case = Checks()
case.setUp()
results["seed"] = str(tf.get_default_graph().seed)
results["numpy seed"] = np.random.rand(2)
nan = float("nan")
bf = tf.bfloat16.as_numpy_dtype
results["close"] = [
    outcome(action)
    for action in (
        lambda: case.assertAllClose(1.0, 1.0 + 5e-7),
        lambda: case.assertAllClose(1.0, 1.001),
        lambda: case.assertAllClose([1, 2], [[1, 2]]),
        lambda: case.assertAllClose([nan], [nan]),
        lambda: case.assertAllClose([nan], [1.0]),
        lambda: case.assertAllClose([1, [2]], [1, [2]]),
        lambda: case.assertAllClose([1, [2, 3]], [1, [2, 4]]),
        lambda: case.assertAllClose({"a": 1.0}, {"a": 1.0}),
        lambda: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
        lambda: case.assertAllClose({"a": 1.0}, [1.0]),
        lambda: case.assertAllClose([1.0], {"a": 1.0}),
        lambda: case.assertAllClose([[1], [2, 3]], [[1], [2, 3]]),
        lambda: case.assertAllClose([[1], [2, 3]], [[1]]),
        lambda: case.assertAllClose([np.ones(2), np.ones(3)], [np.ones(2), np.ones(3)]),
        lambda: case.assertAllClose([np.ones(2), np.ones(3)], [np.ones(2)]),
        lambda: case.assertAllClose((1, 2), [1, 2]),
        lambda: case.assertAllClose(np.float16(1), np.float16(1.0009)),
        lambda: case.assertAllCloseAccordingToType(np.float16(1), np.float16(1.0009)),
        lambda: case.assertAllCloseAccordingToType(np.float32(1), 1.00001),
        lambda: case.assertAllCloseAccordingToType([1.0], [1.1], rtol=0.2),
        lambda: case.assertNotAllClose([1.0], [1.1]),
        lambda: case.assertNotAllClose([1.0], [1.0]),
        lambda: case.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0]),
        lambda: case.assertAllClose([1.0, 2.0], tf.constant([1.0, 2.5])),
        lambda: case.assertNear(1.0, 1.1, 0.2),
        lambda: case.assertNear(1.0, 1.3, 0.2),
        lambda: case.assertArrayNear([1, 2], [1, 2.1], 0.2),
        lambda: case.assertArrayNear([1, 2], [1], 0.2),
        lambda: case.assertNDArrayNear(np.ones(3), np.ones(3) + 0.1, 0.2),
        lambda: case.assertNDArrayNear(np.ones(3), np.ones(3) + 0.2, 0.2),
    )
]
results["equal"] = [
    outcome(action)
    for action in (
        lambda: case.assertAllEqual([1, 2], np.array([1, 2])),
        lambda: case.assertAllEqual([1, 2], [1, 3]),
        lambda: case.assertAllEqual([1, 2], [[1, 2]]),
        lambda: case.assertAllEqual([nan, 1.0], [nan, 1.0]),
        lambda: case.assertAllEqual([nan, 1.0], [0.0, 1.0]),
        lambda: case.assertAllEqual([b"a", b"b"], tf.constant(["a", "b"])),
        lambda: case.assertAllEqual(["a", "b"], tf.constant(["a", "b"])),
        lambda: case.assertAllEqual([True], [1]),
        lambda: case.assertAllEqual(1, tf.constant(1)),
        lambda: case.assertAllEqual([], []),
        lambda: case.assertNotAllEqual([1], [2]),
        lambda: case.assertNotAllEqual([1], [1]),
        lambda: case.assertAllGreater([2, 3], 1),
        lambda: case.assertAllGreater([2, 1], 1),
        lambda: case.assertAllLess(tf.constant([1, 2]), 3),
        lambda: case.assertAllLess([3], 3),
        lambda: case.assertAllGreaterEqual([1, 2], 1),
        lambda: case.assertAllLessEqual([1, 2], 1),
        lambda: case.assertAllInRange([1, 2], 1, 2),
        lambda: case.assertAllInRange([1, 2], 1, 2, open_lower_bound=True),
        lambda: case.assertAllInRange([1, 2], 1, 2, open_upper_bound=True),
        lambda: case.assertAllInRange([1.0, nan], 1, 2),
        lambda: case.assertAllInRange(["a"], 1, 2),
        lambda: case.assertAllInSet([1, 2, 2], {1, 2}),
        lambda: case.assertAllInSet([1, 2, 3], {1, 2}),
        lambda: case.assertDTypeEqual(np.ones(1, np.float32), np.float32),
        lambda: case.assertDTypeEqual(tf.constant(1), np.int64),
        lambda: case.assertShapeEqual(np.ones([2, 3]), tf.ones([2, 3])),
        lambda: case.assertShapeEqual(np.ones([2, 3]), tf.ones([3])),
        lambda: case.assertShapeEqual([1], tf.ones([3])),
        lambda: case.assertShapeEqual(np.ones(1), [1]),
        lambda: case.assertItemsEqual([1, 2], [2, 1]),
        lambda: case.assertDeviceEqual("/gpu:0", "/device:GPU:0"),
        lambda: case.assertDeviceEqual("/gpu:0", "/cpu:0"),
        lambda: case.assertStartsWith("abc", "ab"),
        lambda: case.assertStartsWith("abc", "b"),
        lambda: case.assertProtoEquals("op: 'X' name: 'y'", tf.NodeDef(op="X", name="y")),
        lambda: case.assertProtoEquals("op: 'X' name: 'z'", tf.NodeDef(op="X", name="y")),
        lambda: case.assertProtoEquals(tf.NodeDef(op="X"), tf.NodeDef(op="X")),
        lambda: case.assertProtoEquals(tf.NodeDef(op="X"), tf.GraphDef()),
        lambda: case.assertProtoEqualsVersion("node { name: 'a' op: 'NoOp' }", graph_def("a")),
        lambda: case.assertProtoEqualsVersion("node { name: 'a' op: 'NoOp' }", graph_def("b")),
    )
]


def graph_def(name):
    with tf.Graph().as_default() as graph:
        tf.no_op(name=name)
    return graph.as_graph_def()


def raising(error, pattern, raised):
    with case.assertRaisesWithPredicateMatch(error, pattern):
        if raised is not None:
            raise raised


def failing(pattern):
    with case.session(), case.assertRaisesOpError(pattern):
        tf.check_numerics(tf.log(-1.0), "sorrow", name="checked").eval()


def not_failing():
    with case.session(), case.assertRaisesOpError("x"):
        tf.constant(1).eval()


results["raising"] = [
    outcome(action)
    for action in (
        lambda: raising(ValueError, "ab+", ValueError("xabb")),
        lambda: raising(ValueError, "ab+", ValueError("x")),
        lambda: raising(ValueError, "a", TypeError("a")),
        lambda: raising(ValueError, lambda e: e.args[0] == 3, ValueError(3)),
        lambda: raising(ValueError, lambda e: False, ValueError(3)),
        lambda: raising(ValueError, "a", None),
        lambda: failing("sorrow"),
        lambda: failing("joy"),
        lambda: failing("Caused by: checked"),
        not_failing,
    )
]

# sessions
with case.cached_session() as first:
    inside = tf.constant(1)
    results["device"] = inside.device
    v = tf.Variable(3.0)
    v.initializer.run()
with case.cached_session() as second:
    results["cached"] = [str(first is second), str(second.run(v))]
with case.cached_session(use_gpu=True):
    results["gpu allowed"] = tf.constant(1).device
with case.test_session() as third:
    results["test_session"] = str(third is first)
with case.test_session(graph=tf.Graph()) as own:
    results["own graph"] = [
        str(own is first),
        str(tf.get_default_graph() is own.graph),
        str(tf.get_default_session() is own),
    ]
config = tf.ConfigProto()


def cached(**kwargs):
    with case.cached_session(**kwargs):
        pass


def tested(**kwargs):
    with case.test_session(**kwargs) as session:
        results.setdefault("tested", []).append(str(session is first))


results["inconsistent"] = [
    outcome(lambda: cached(graph=tf.Graph())),
    outcome(lambda: cached(config=config)),
    outcome(lambda: cached(force_gpu=True)),
    outcome(lambda: tested(config=config)),
]
with case.session() as one, case.session() as two:
    results["new"] = [str(one is two), str(two.graph is tf.get_default_graph())]
results["closed"] = outcome(lambda: one.run(tf.constant(1)))
with case.session(), tf.device("/gpu:0"):
    results["soft"] = tf.constant([1.0, 2.0]).eval()
results["evaluated"] = [case.evaluate(tf.constant(3)), case.evaluate([tf.constant(1), {"a": tf.constant(2)}])]
with case.session() as sess:
    results["in default"] = case.evaluate(tf.constant(1) + 1)

# threads
ran = []
thread = case.checkedThread(target=lambda x: ran.append(x), args=(1,))
thread.start()
thread.join()


def broken():
    raise ValueError("inside")


failed = case.checkedThread(target=broken)
failed.start()
results["threads"] = [str(ran), outcome(failed.join), str(thread.is_alive())]
left = case.checkedThread(target=lambda: None)
left.start()
results["not joined"] = outcome(case.tearDown)
results["temp"] = str(case.get_temp_dir() == case.get_temp_dir())


# the class as a suite
class Suite(tf.test.TestCase):
    @test_util.run_deprecated_v1
    def testDeprecated(self):
        self.assertAllEqual(tf.executing_eagerly(), False)

    @test_util.run_v1_only("a reason")
    def testV1(self):
        with self.cached_session():
            self.assertAllEqual(tf.constant(1).eval(), 1)

    @test_util.run_v2_only
    def testV2(self):
        raise AssertionError("not here")

    @test_util.run_gpu_only
    def testGpu(self):
        raise AssertionError("not here")

    @test_util.disable_xla("x")
    @test_util.no_xla_auto_jit("y")
    @test_util.xla_allow_fallback("z")
    @test_util.disable_control_flow_v2("w")
    def testMarked(self):
        with test_util.use_gpu(), self.session():
            self.assertAllEqual(tf.constant([1]), [1])

    @test_util.skip_if(True)
    def testLeftOut(self):
        raise AssertionError("not here")

    def testSeeds(self):
        results["random"] = [tf.get_default_graph().seed, int(np.random.randint(1000))]

    def testFails(self):
        self.assertAllEqual([1], [2])


suite = unittest.TestLoader().loadTestsFromTestCase(Suite)
report = unittest.TestResult()
suite.run(report)
results["suite"] = [
    sorted(test.id().rpartition(".")[2] for test, _ in report.failures),
    sorted(test.id().rpartition(".")[2] for test, _ in report.errors),
    sorted(test.id().rpartition(".")[2] for test, _ in report.skipped),
]

# graphs
with tf.Graph().as_default() as graph:
    a = tf.constant(1.0, name="a")
    b = tf.add(a, a, name="b")
    other = graph.as_graph_def()
    c = tf.negative(b, name="c")
results["graphs"] = [
    sorted(test_util.assert_ops_in_graph({"a": "Const", "b": "Add"}, graph)),
    outcome(lambda: test_util.assert_ops_in_graph({"a": "Const", "b": "Mul"}, graph)),
    outcome(lambda: test_util.assert_ops_in_graph({"nothing": "Const"}, graph)),
    outcome(lambda: tf.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())),
    outcome(lambda: tf.test.assert_equal_graph_def(graph.as_graph_def(), other)),
    outcome(lambda: tf.test.assert_equal_graph_def(other, graph.as_graph_def())),
    outcome(lambda: tf.test.assert_equal_graph_def(graph, other)),
    test_util.get_node_def_from_graph("a", other).op,
    str(test_util.get_node_def_from_graph("z", other)),
]
results["layouts"] = [
    str(test_util.NHWCToNCHW([1, 2, 3, 4])),
    str(test_util.NCHWToNHWC([1, 2, 3, 4])),
    str(test_util.NHWCToNCHW([1, 2, 3, 4, 5])),
    str(test_util.NHWCToNCHW(tf.zeros([1, 2, 3, 4])).shape),
    outcome(lambda: test_util.NCHWToNHWC([1, 2])) == "fine",
]
results["combinations"] = [
    str(dict(c)) for c in test_util.generate_combinations_with_testcase_name(mode=["graph", "x_y"], b=[1, 2])
]
results["built"] = [str(test_util.IsMklEnabled()), str(tf.test.is_built_with_rocm()), str(test_util.is_xla_enabled())]

stubs = tf.test.StubOutForTesting()


class Owner(object):
    value = 1

    @staticmethod
    def double(x):
        return 2 * x


stubs.Set(Owner, "value", 2)
stubs.SmartSet(Owner, "double", lambda x: 3 * x)
during = [Owner.value, Owner.double(2)]
stubs.CleanUp()
results["stubs"] = [str(during), str([Owner.value, Owner.double(2)]), str(googletest.StatefulSessionAvailable())]
