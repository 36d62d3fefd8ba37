"""Test methods that run as graphs and with operations that run as they are made."""

import unittest

import pytest

import headrace as tf
from headrace.core.eager import eager_mode, executing_eagerly
from headrace.testing import test_util


def outcome(case, method):
    result = unittest.TestResult()
    case(method).run(result)
    return [text for _, text in result.errors + result.failures], len(result.skipped)


def test_both_modes():
    seen = []

    @test_util.run_all_in_graph_and_eager_modes
    class Case(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            self.two = tf.constant(2.0)

        def test_values(self):
            seen.append(executing_eagerly())
            self.assertAllClose(self.evaluate(self.two * 2), 4.0)
            self.assertAllEqual(
                self.evaluate({"a": [self.two, None]} if executing_eagerly() else {"a": [self.two]})["a"][0], 2
            )
            with self.cached_session() as sess:
                self.assertAllEqual(sess.run(tf.ones([2])), [1, 1])
            sparse = self.evaluate(tf.SparseTensor([[0]], [self.two], [1]))
            self.assertAllEqual(sparse.values, [2.0])

        @test_util.run_deprecated_v1
        def test_graph_only(self):
            with self.session() as sess:
                x = tf.placeholder(tf.float32)
                self.assertAllEqual(sess.run(x * 2, {x: 2.0}), 4.0)

        def test_skipped_as_a_graph(self):
            if not executing_eagerly():
                self.skipTest("not as a graph")
            seen.append("eager")

    assert outcome(Case, "test_values") == ([], 0)
    assert seen == [False, True]
    assert outcome(Case, "test_graph_only") == ([], 0)
    assert outcome(Case, "test_skipped_as_a_graph") == ([], 0)
    assert seen[-1] == "eager"
    assert not executing_eagerly()


def test_failures_of_the_second_run_are_failures():
    class Case(tf.test.TestCase):
        @test_util.run_in_graph_and_eager_modes
        def test_it(self):
            self.assertAllEqual(executing_eagerly(), False)

    errors, _ = outcome(Case, "test_it")
    assert len(errors) == 1
    assert not executing_eagerly()


def test_functions_and_graphs():
    seen = []

    class Case(tf.test.TestCase):
        @test_util.build_as_function_and_v1_graph
        def test_built(self):
            seen.append(type(tf.constant(1.0).graph).__name__)

        @test_util.also_run_as_tf_function
        def test_function(self):
            seen.append(executing_eagerly())

    assert outcome(Case, "test_built") == ([], 0)
    assert seen == ["Graph", "FuncGraph"]
    assert outcome(Case, "test_function") == ([], 0)
    assert seen[2:] == [True, False]
    test_util.also_run_as_tf_function(lambda: seen.append(executing_eagerly()))()
    assert seen[4:] == [True, False]
    with pytest.raises(ValueError, match="only supports test methods"):
        test_util.run_in_graph_and_eager_modes(Case)


def test_there_is_no_session_while_executing_eagerly():
    case = tf.test.TestCase()
    with eager_mode():
        with case.session() as sess, pytest.raises(AttributeError, match="no session while executing eagerly"):
            sess.run(tf.constant(1))
        with case.test_session() as sess:
            assert sess.run([tf.constant(1)]) == [1]
            with pytest.raises(RuntimeError, match="feed_dict"):
                sess.run(tf.constant(1), feed_dict={"x": 1})
            with pytest.raises(RuntimeError, match="Options"):
                sess.run(tf.constant(1), options=3)
        assert case.evaluate(lambda: tf.constant(3)) == 3
        with pytest.raises(ValueError, match="Unsupported type"):
            case.evaluate("text")
