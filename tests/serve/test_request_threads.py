"""Threads that answer requests for an event loop."""

import asyncio
import threading

import pytest

from headrace.serve.request_threads import RequestThreads


@pytest.fixture
def threads():
    made = RequestThreads(3, "test")
    yield made
    made.close()


def test_one_after_the_other_runs_in_one_thread(threads):
    async def ask():
        # Its thread is free again a moment after the answer is there: whoever asks before that may get another.
        return {await threads.run(threading.current_thread) for _ in range(50)}

    assert len(asyncio.run(ask())) <= 2


def test_no_more_at_a_time_than_threads_and_none_is_lost(threads):
    together = threading.Barrier(3)
    running, most, lock = 0, 0, threading.Lock()

    def call(number):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(30)
        with lock:
            running -= 1
        return number

    async def ask():
        return await asyncio.gather(*(threads.run(lambda number=number: call(number)) for number in range(12)))

    assert asyncio.run(ask()) == list(range(12))
    assert most == 3


def test_failures_are_those_of_the_call(threads):
    def fail():
        raise KeyError("it")

    async def ask():
        with pytest.raises(KeyError, match="it"):
            await threads.run(fail)
        return await threads.run(lambda: 5)

    assert asyncio.run(ask()) == 5


def test_closing_ends_the_threads():
    threads = RequestThreads(2, "test-of-closing")

    async def ask():
        return await asyncio.gather(threads.run(threading.current_thread), threads.run(threading.current_thread))

    found = asyncio.run(ask())
    threads.close()
    for thread in found:
        thread.join(30)
        assert not thread.is_alive()
