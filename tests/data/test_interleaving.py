"""Datasets taken in turns: all under way at once, their order, errors and end."""

import threading

import pytest

import headrace as tf

WAIT = 20


def drained(dataset, limit=10**6):
    """The elements, and names of error classes in the places of errors."""
    found = []
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        while len(found) < limit:
            try:
                found.append(int(sess.run(value)))
            except tf.errors.OutOfRangeError:
                break
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
    return found


def generators(make, count):
    """For each number below `count`, a dataset of what the generator `make(number)` yields."""

    def of(number):
        return tf.data.Dataset.from_generator(lambda n: make(int(n)), tf.int64, [], args=(number,))

    return tf.data.Dataset.range(count), of


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


def parallel(sloppy):
    return lambda dataset, of: dataset.apply(
        tf.data.experimental.parallel_interleave(of, cycle_length=3, sloppy=sloppy, prefetch_input_elements=0)
    )


def interleaved(dataset, of):
    return dataset.interleave(of, 3, num_parallel_calls=3)


@pytest.mark.parametrize("join", [interleaved, parallel(False), parallel(True)])
def test_generators_run_at_once(join):
    together = threading.Barrier(3, timeout=WAIT)

    def make(number):
        # Passes only where all three are under way.
        together.wait()
        yield from (number * 10, number * 10 + 1)

    found = drained(join(*generators(make, 3)))
    assert sorted(found) == [0, 1, 10, 11, 20, 21]
    if join is interleaved:
        assert found == [0, 10, 20, 1, 11, 21]


@pytest.mark.parametrize("with_option", [False, True])
def test_a_sloppy_order_passes_over_what_waits(with_option):
    goes_on = threading.Event()

    def make(number):
        if number == 0 and not goes_on.wait(WAIT):
            raise RuntimeError("never asked to go on")
        for i in range(3):
            yield number * 10 + i
        if number == 1:
            goes_on.set()

    dataset, of = generators(make, 2)
    if with_option:
        options = tf.data.Options()
        options.experimental_deterministic = False
        dataset = dataset.interleave(of, 2, num_parallel_calls=2).with_options(options)
    else:
        dataset = dataset.apply(tf.data.experimental.parallel_interleave(of, 2, sloppy=True))
    found = drained(dataset)
    # The end of the second is what the first waits for.
    assert found[:2] == [10, 11]
    assert sorted(found) == [0, 1, 2, 10, 11, 12]


def test_a_sloppy_map_gives_what_is_done():
    goes_on = threading.Event()

    def function(x):
        if x >= 8:
            goes_on.set()
        elif x == 5 and not goes_on.wait(WAIT):
            raise RuntimeError("never asked to go on")
        threading.Event().wait(0.001)
        return x

    dataset = tf.data.Dataset.range(12).map(lambda x: tf.py_func(function, [x], tf.int64), num_parallel_calls=3)
    options = tf.data.Options()
    options.experimental_deterministic = False
    found = drained(dataset.with_options(options))
    assert sorted(found) == list(range(12))
    # 8 began when one of the two beside 5 was done.
    assert found.index(5) > min(found.index(6), found.index(7))


@pytest.mark.parametrize("join", [interleaved, parallel(False)])
def test_errors_have_their_places(join):
    def make(number):
        yield number * 10
        if number == 1:
            raise ValueError("broken")
        yield number * 10 + 1

    found = drained(join(*generators(make, 4)))
    assert found == [0, 10, 20, 1, "InvalidArgumentError", 21, 30, 31]


def test_closing_the_session_ends_a_wait():
    reached, ends = threading.Event(), threading.Event()

    def make(number):
        yield number
        reached.set()
        ends.wait(WAIT)

    value = parallel(True)(*generators(make, 3)).make_one_shot_iterator().get_next()
    sess = tf.Session()
    failure = []

    def work():
        try:
            while True:
                sess.run(value)
        except (tf.errors.OpError, RuntimeError) as error:
            failure.append(type(error))

    thread = threading.Thread(target=work)
    thread.start()
    assert reached.wait(WAIT)
    sess.close()
    thread.join(WAIT)
    ends.set()
    # A run that has not begun finds the session closed.
    assert failure in ([tf.errors.CancelledError], [RuntimeError])


def test_a_limit_of_calls_is_kept():
    at_work, most = [0], [0]
    lock = threading.Lock()

    def make(number):
        for i in range(4):
            with lock:
                at_work[0] += 1
                most[0] = max(most[0], at_work[0])
            threading.Event().wait(0.001)
            with lock:
                at_work[0] -= 1
            yield number * 10 + i

    dataset, of = generators(make, 6)
    found = drained(dataset.interleave(of, 6, num_parallel_calls=2))
    assert found == [n * 10 + i for i in range(4) for n in range(6)]
    assert most[0] <= 2
