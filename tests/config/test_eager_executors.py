"""Modes of executing eagerly: what programs ask and set, while every call has run when it returns."""

import threading

import pytest

import headrace as tf
from headrace.config import eager_context, eager_executors
from headrace.core.eager import eager_mode


def test_a_mode_is_of_its_thread_and_scope():
    context = eager_context.context()
    assert context.execution_mode == eager_context.SYNC
    assert not context.is_async()
    with eager_executors.execution_mode(eager_executors.ASYNC), eager_mode():
        assert context.is_async()
        assert (tf.constant(2.0) * 3.0).numpy() == 6.0
        found = []
        thread = threading.Thread(target=lambda: found.append(context.execution_mode))
        thread.start()
        thread.join()
        assert found == [eager_context.SYNC]
    assert not context.is_async()


def test_an_executor_of_its_own():
    executor = eager_executors.new_executor(True)
    with eager_executors.executor_scope(executor):
        assert eager_context.context().executor is executor
    executor.wait()
    executor.clear_error()
    assert executor.is_async()


def test_modes_that_are_none():
    with pytest.raises(ValueError, match="Execution mode should be None/SYNC/ASYNC"):
        eager_executors.set_execution_mode(2)


def test_contexts_beside_that_of_the_process():
    context = eager_context.Context()
    context.scope_name = "other"
    assert context.scope_name == "other"
    assert eager_context.context().scope_name == ""
    with pytest.raises(NotImplementedError, match="enable_eager_execution"):
        eager_context.Context(config=object())


def test_what_was_entered():
    graph = tf.Graph()
    before = len(eager_context.context().context_switches.stack)
    with graph.as_default(), eager_mode():
        stack = eager_context.context().context_switches.stack[before:]
    assert [switch.is_building_function for switch in stack] == [False, False]
    assert stack[-1].enter_context_fn is eager_mode
