"""Requests put together: who gets what, and who does not disturb whom."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from headrace.core import errors
from headrace.serve import messages
from headrace.serve.batching import BatchingOptions, BatchScheduler, batching_options
from headrace.serve.metrics import Metrics
from headrace.serve.model_configs import ModelConfig, parse_text
from headrace.serve.servable import Call


class _Model:
    name = "model"


def counted_call(gate=None):
    """A call that doubles its rows and notes the sizes of the batches that it saw."""
    sizes = []

    def run(array):
        if gate is not None:
            gate.wait(60)
        sizes.append(len(array))
        if (array < 0).any():
            raise errors.InvalidArgumentError(None, None, "negative")
        return [array * 2]

    return Call((), run, _Model(), batchable=True), sizes


def run_all(scheduler, call, arrays):
    """Runs each array in a thread of its own; their results or errors, in order."""
    found = [None] * len(arrays)

    def one(index):
        try:
            found[index] = scheduler.run(call, [arrays[index]])[0].tolist()
        except errors.OpError as error:
            found[index] = error

    threads = [threading.Thread(target=one, args=[index]) for index in range(len(arrays))]
    for thread in threads:
        thread.start()
    return threads, found


@pytest.fixture
def scheduler():
    made = []

    def make(**options):
        made.append(BatchScheduler(BatchingOptions(threads=1, **options), Metrics()))
        return made[-1]

    yield make
    for one in made:
        one.close()


def waiting(scheduler, count):
    with scheduler._waiting:
        return sum(len(batch.tasks) for queue in scheduler._queues.values() for batch in queue) >= count


def until(condition):
    while not condition():
        threading.Event().wait(0.001)


def test_rows_of_several_callers_run_at_once(scheduler):
    gate = threading.Event()
    call, sizes = counted_call(gate)
    batches = scheduler(max_batch_size=100)
    # The first one holds the only thread; the others gather behind it.
    first, found_first = run_all(batches, call, [np.float32([0.0])])
    until(lambda: not waiting(batches, 1))
    arrays = [np.float32([index, index + 0.5]) for index in range(8)]
    threads, found = run_all(batches, call, arrays)
    until(lambda: waiting(batches, 8))
    gate.set()
    for thread in first + threads:
        thread.join()
    assert found_first == [[0.0]]
    assert found == [(array * 2).tolist() for array in arrays]
    assert sorted(sizes) == [1, 16]


def test_a_callers_error_is_its_own(scheduler):
    gate = threading.Event()
    call, _ = counted_call(gate)
    batches = scheduler(max_batch_size=100)
    threads, found = run_all(batches, call, [np.float32([1.0]), np.float32([-1.0]), np.float32([3.0])])
    gate.set()
    for thread in threads:
        thread.join()
    assert found[0] == [2.0]
    assert isinstance(found[1], errors.InvalidArgumentError)
    assert found[2] == [6.0]


def test_shapes_are_not_mixed(scheduler):
    gate = threading.Event()
    call, sizes = counted_call(gate)
    batches = scheduler(max_batch_size=100)
    arrays = [np.zeros((2, width), np.float32) for width in (1, 2, 3, 1)]
    threads, found = run_all(batches, call, arrays)
    gate.set()
    for thread in threads:
        thread.join()
    assert found == [array.tolist() for array in arrays]
    assert sum(sizes) == 8


def test_batches_are_filled_up_to_sizes_that_are_allowed(scheduler):
    call, sizes = counted_call()
    batches = scheduler(max_batch_size=8, allowed_sizes=(4, 8))
    assert batches.run(call, [np.float32([1.0, 2.0])])[0].tolist() == [2.0, 4.0]
    assert batches.run(call, [np.arange(5, dtype=np.float32)])[0].tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert sizes == [4, 8]


def test_what_is_too_large_is_refused(scheduler):
    call, _ = counted_call()
    with pytest.raises(errors.InvalidArgumentError, match="larger than maximum"):
        scheduler(max_batch_size=2).run(call, [np.zeros(3, np.float32)])


def test_more_than_may_wait_is_refused(scheduler):
    gate = threading.Event()
    call, _ = counted_call(gate)
    batches = scheduler(max_batch_size=1, max_enqueued_batches=1)
    first, _ = run_all(batches, call, [np.float32([0.0])])
    until(lambda: not waiting(batches, 1))
    second, _ = run_all(batches, call, [np.float32([0.0])])
    until(lambda: waiting(batches, 1))
    with pytest.raises(errors.UnavailableError):
        batches.run(call, [np.float32([0.0])])
    gate.set()
    for thread in first + second:
        thread.join()


def test_parameters_from_a_file():
    text = """
      max_batch_size { value: 8 } batch_timeout_micros { value: 2000 } max_enqueued_batches { value: 3 }
      num_batch_threads { value: 2 } allowed_batch_sizes: 4 allowed_batch_sizes: 8"""
    options = batching_options(parse_text(text, messages.BatchingParameters(), "text"))
    assert options == BatchingOptions(8, 0.002, 3, 2, (4, 8))
    for wrong in ("allowed_batch_sizes: 4", "max_batch_size { value: 0 }"):
        with pytest.raises(errors.InvalidArgumentError):
            batching_options(parse_text(wrong, messages.BatchingParameters(), "text"))
    with pytest.raises(errors.UnimplementedError):
        batching_options(parse_text("pad_variable_length_inputs: true", messages.BatchingParameters(), "text"))


def test_a_server_that_puts_requests_together(saved, start, client):
    rest = client(start(ModelConfig("half", str(saved)), batching=BatchingOptions(max_batch_size=16, timeout=0.001)))
    found = {}

    def ask(number):
        body = {"instances": [float(number)]} if number % 3 else {"instances": [float(number), "x"]}
        found[number] = [rest.post(body) for _ in range(5)]

    threads = [threading.Thread(target=ask, args=[number]) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, answers in found.items():
        for status, answer in answers:
            assert (status, answer.get("predictions")) == ((200, [number / 2 + 2]) if number % 3 else (400, None))
    assert rest.post({"signature_name": "total", "inputs": [1.0, 2.0]}) == (200, {"outputs": 3.0})
