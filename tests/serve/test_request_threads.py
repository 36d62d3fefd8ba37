"""Threads that answer requests."""

import asyncio
import functools
import threading
import weakref

import pytest

from headrace.serve.request_threads import RequestExecutor, RequestThreads


@pytest.fixture
def threads():
    made = RequestThreads(3, "test")
    yield made
    made.close()


def test_one_after_the_other_runs_in_the_thread_that_became_free_last():
    threads = RequestThreads(16, "test-of-order")

    async def ask():
        found = set()
        for _ in range(50):
            found.add(await threads.run(threading.current_thread))
            # A thread is free a moment after its answer is there: whoever asks before that gets another one.
            while not threads._free:
                await asyncio.sleep(0)
        return found

    found = asyncio.run(ask())
    threads.close()
    assert len(found) == 1


class Body:
    """What a request brought."""


def test_a_request_is_forgotten_when_it_is_answered():
    threads = RequestThreads(1, "test-of-memory")
    body = Body()
    known = weakref.ref(body)

    async def ask(body):
        await threads.run(functools.partial(id, body))
        del body
        return await threads.run(lambda: known() is None)

    given = [body]
    del body
    forgotten = asyncio.run(ask(given.pop()))
    threads.close()
    assert forgotten


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


def test_calls_that_wait_for_a_later_one_get_more_threads():
    threads = RequestThreads(1, "test-of-patience", most=3, patience=0.01)
    together = threading.Barrier(3)

    async def ask():
        # Each of the three is answered when the third one is asked; so is what comes after them.
        answers = await asyncio.gather(*(threads.run(lambda: together.wait(30) >= 0) for _ in range(3)))
        return [*answers, await threads.run(lambda: 7)]

    assert asyncio.run(ask()) == [True, True, True, 7]
    threads.close()


def test_an_executor_gives_results_and_failures():
    executor = RequestExecutor(RequestThreads(2, "test-of-executor"))
    assert executor.submit(divmod, 7, 2).result(30) == (3, 1)
    assert list(executor.map(abs, [-1, 2])) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 7, 0).result(30)
    with pytest.raises(NotImplementedError, match="wait=False"):
        executor.shutdown()
    executor.shutdown(wait=False)


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


def test_what_is_asked_after_closing_is_answered():
    threads = RequestThreads(1, "test-of-late-calls")

    async def ask():
        first = await threads.run(lambda: 1)
        threads.close()
        return [first, await threads.run(lambda: 2), await threads.run(lambda: 3)]

    assert asyncio.run(ask()) == [1, 2, 3]
