"""Converted functions compute what Python does, given numbers, and what Python would, given tensors."""

import functools

import numpy as np
import pytest

import headrace as tf
from headrace.autograph import Feature, converted_for_function, do_not_convert, to_code, to_graph
from headrace.autograph.conversion import converted


def run(value):
    with tf.Session() as sess:
        return sess.run(value)


def branches(x, y):
    if x > y:
        z = x - y
    elif x + y > 3:
        z = x * y
    else:
        z = -y
        if z > 1:
            z = z + 100
    return z


def early(x, y):
    if x > 5:
        return x
    if y > 5:
        x = x + 1
        if x > 3:
            return y * 2
        y = y - 3
    return x + y


def early_in_else(x, y):
    if x > y:
        z = 1
    else:
        return y
    if z > x:
        return z * 10
    return x * 100


def loop(x, y):
    total = 0
    while x > 0:
        x = x - 1
        if x > y:
            continue
        total = total + x
        if total > 12:
            break
    else:
        total = total + 1000
    return total, x


def nested_loops(x, y):
    count = 0
    while x > 0:
        inner = y
        while inner > 0:
            inner = inner - 1
            if inner * x > 6:
                continue
            if count > 8:
                break
            count = count + 1
        x = x - 1
    return count


def over_range(x, y):
    last = -1
    total = 0
    for i in range(x):
        if i > y:
            break
        last = i
        if i > 1 and not i > 2:
            continue
        total += i * y
    return total, last


def temporaries(x, y):
    total = 0
    while x > 0:
        half = x * 2
        if half > y:
            extra = half
            half = extra + 1
        total = total + half
        x = x - 1
    return total


def logic(x, y):
    a = x > 2 and y > 2 and x > y
    b = x > 2 or not y > 2
    c = 1 if a or b else 2
    return c + (10 if 0 < x < y else 20) + (100 if 5 > x > 1 > -y else 200)


def helper(x):
    if x > 2:
        return x * 2
    return x


def calls(x, y):
    def local(a, b=1, *rest, **named):
        if a > b:
            return a - b + len(rest) + sum(named.values())
        return b

    add = lambda a: a + y if a > y else a - y  # noqa: E731
    return helper(x) + local(x, y) + local(x, 2, 3, z=4) + add(x) + local(*[x, y], k=2)


def structures(x, y):
    pair = (x, [y, {"k": x}])
    if x > y:
        pair = (y, [x, {"k": x + y}])
    state = {"a": 0, "b": x}
    while state["b"] > 0:
        state = {"a": state["a"] + state["b"], "b": state["b"] - 1}
    return pair[0] + pair[1][0] * 10 + pair[1][1]["k"] * 100 + state["a"] * 1000


def captured(x, y):
    z = x

    def later():
        return z + y

    if x > y:
        z = y * 7
    return later()


def resources(x, y):
    log = []
    try:
        if x > y:
            x = y
        log.append(1)
    except ZeroDivisionError as error:
        log.append(error)
    finally:
        x = x + 1
    with tf.name_scope("scope"):
        if x > 3:
            y = x
    return x + y + len(log)


def many_returns(x, y):
    """Has a docstring."""
    while_count = 0
    if x > 1:
        if y > 1:
            while_count = 5
        else:
            return 3
        if x > 4:
            return 4 + while_count
    elif y > 3:
        while_count = 7
    x = x + while_count
    return x


FUNCTIONS = [
    branches, early, early_in_else, loop, nested_loops, over_range, temporaries, logic, calls, structures, captured,
    resources, many_returns,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_numbers_and_tensors(function):
    made = to_graph(function)
    assert made.__name__ == function.__name__
    assert made.__doc__ == function.__doc__
    pairs = [(x, y) for x in (0, 2, 3, 7) for y in (0, 1, 4, 6)]
    for x, y in pairs:
        assert made(x, y) == function(x, y)
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        result = made(a, b)
        for x, y in pairs:
            np.testing.assert_equal(np.array(sess.run(result, {a: x, b: y})), np.array(function(x, y)), f"{x}, {y}")
        # One of them only.
        mixed = made(a, 4)
        for x in (0, 2, 7):
            np.testing.assert_equal(np.array(sess.run(mixed, {a: x})), np.array(function(x, 4)), f"{x}")


class Counter:
    """Keeps a count, privately too."""

    def __init__(self):
        self.count = 0
        self.__secret = 3

    def add(self, x):
        """Adds."""
        if x > 0:
            self.count = self.count + x
        else:
            self.count = self.__secret
        return self.count

    @property
    def next(self):
        return self.count + 1


class Doubler(Counter):
    def add(self, x):
        for _ in range(2):
            super().add(x)
        return self.count

    def __call__(self, x):
        if x > 1:
            return self.add(x)
        return -x


@pytest.mark.parametrize("x", [-2, 2])
@pytest.mark.parametrize("kind", [Counter, Doubler])
def test_methods(kind, x):
    expected = kind().add(x)
    with tf.Graph().as_default():
        assert run(to_graph(kind().add)(tf.constant(x))) == expected
        assert run(to_graph(kind.add)(kind(), tf.constant(x))) == expected
        assert run(to_graph(kind)().add(tf.constant(x))) == expected


def test_what_can_be_called():
    with tf.Graph().as_default():
        three = tf.constant(3)
        assert run(converted_for_function(Doubler())(three)) == Doubler()(3)
        assert run(converted_for_function(functools.partial(branches, y=1))(three)) == branches(3, 1)
        assert run(converted_for_function(lambda x: x if x > 1 else -x)(tf.constant(-3))) == 3
        pair = [lambda x: x * 2 if x > 0 else x, lambda x: x * 3 if x > 0 else x]
        assert [run(to_graph(f)(three)) for f in pair] == [6, 9]
        assert converted(len) is len
        assert converted(np.sum) is np.sum
        assert converted(tf.add) is tf.add


def test_what_only_a_branch_s_own_function_reads_belongs_to_the_branch():
    def added(x, calls):
        if x > 0:
            double = x * 2
            calls.append((lambda: double + 1)())
        return x

    calls = []
    with tf.Graph().as_default():
        assert run(to_graph(added)(tf.constant(3), calls)) == 3
    assert len(calls) == 1


def test_closures_are_shared():
    total = 0

    def add(x):
        nonlocal total
        if x > 1:
            total = total + 1
        return total

    to_graph(add)(2)
    assert total == 1
    assert add(3) == 2


@do_not_convert
def plain(x):
    return "yes" if isinstance(x, tf.Tensor) else "no"


def test_functions_that_stay():
    def outer(x):
        return plain(x) if x is not None else None

    with tf.Graph().as_default():
        assert to_graph(outer)(tf.constant(1)) == "yes"

        def inner(x):
            return x > 0 and x

        def around(x):
            return inner(x)

        with pytest.raises(TypeError, match="Python `bool`"):
            to_graph(around, recursive=False)(tf.constant(1.0))

    def numbers():
        yield 1

    assert list(converted_for_function(numbers)()) == [1]
    with pytest.raises(ValueError, match="generators"):
        to_graph(numbers)
    with pytest.raises(NotImplementedError, match="no function"):
        to_graph(3)
    made = {"__name__": "typed_in"}
    exec("def f(x):\n    return x if x > 0 else -x", made)
    with pytest.raises(ValueError, match="source"):
        to_graph(made["f"])
    assert converted(made["f"]) is made["f"]


def test_loops_over_rows_and_datasets():
    def total(rows, limit):
        s = 0.0
        count = 0
        for row in rows:
            if s > limit:
                break
            s = s + row
            count += 1
        return s, count

    with tf.Graph().as_default():
        made = to_graph(total)
        assert run(made(tf.constant([1.0, 2.0, 3.0, 4.0]), 2.5)) == (3.0, 2)
        unknown = tf.placeholder_with_default([1.0, 2.0], [None])
        assert run(made(unknown, 100.0)) == (3.0, 2)
        dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0])
        assert run(made(dataset, 2.5)) == (3.0, 2)
        assert run(made([tf.constant(1.0), tf.constant(2.0), tf.constant(9.0)], 2.5)) == (3.0, 2)

        def pairs(a, b):
            s = 0
            for i, (x, y) in enumerate(zip(a, b)):
                s += tf.cast(i, tf.int32) * (x - y)
            return s

        ranges = tf.data.Dataset.range(4).map(lambda v: tf.cast(v, tf.int32))
        assert run(to_graph(pairs)(ranges, ranges.map(lambda v: v * 2))) == -14


def test_tensor_arrays_and_gradients():
    def powers(x, n):
        out = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        value = tf.ones([])
        i = 0
        while i < n:
            value = value * x
            out = out.write(i, value)
            i += 1
        return out.stack()

    with tf.Graph().as_default():
        x = tf.constant(2.0)
        made = to_graph(powers)(x, tf.constant(4))
        slope = tf.gradients(made, x)[0]
        np.testing.assert_allclose(run(made), [2, 4, 8, 16])
        assert run(slope) == 1 + 4 + 12 + 32


def test_shapes_that_grow_are_told():
    def grow(x, n):
        for _ in range(n):
            x = tf.concat([x, x], 0)
        return x

    with tf.Graph().as_default(), pytest.raises(ValueError, match="shape"):
        to_graph(grow)(tf.ones([1]), tf.constant(3))


def test_loop_options():
    def count(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=1)
            i += 1
        return i

    assert to_graph(count)(10) == 10
    with tf.Graph().as_default() as graph:
        assert run(to_graph(count)(tf.constant(10))) == 3
        enters = [op for op in graph.get_operations() if op.type == "Enter"]
        assert {op.get_attr("parallel_iterations") for op in enters} == {1}


def test_features():
    def same(a, b):
        if a == b:
            return 1
        return 0

    def told(x):
        print("value", x)
        return x

    with tf.Graph().as_default() as graph:
        one = tf.constant(1)
        assert to_graph(same)(one, tf.constant(1)) == 0
        assert run(to_graph(same, experimental_optional_features=Feature.EQUALITY_OPERATORS)(one, tf.constant(1))) == 1
        to_graph(told, experimental_optional_features=[Feature.BUILTIN_FUNCTIONS])(one)
        assert any(op.type == "PrintV2" for op in graph.get_operations())
    assert Feature.LISTS in Feature.all_but(Feature.ALL)
    assert Feature.ALL not in Feature.all_but([Feature.ALL])


def test_builtin_functions():
    def numbers(x, text):
        return abs(x) + len(tf.fill([3], 1)) + int(text) + int(float(x)), len(
            tf.fill([tf.placeholder_with_default(2, [])], 1)
        )

    with tf.Graph().as_default():
        assert run(to_graph(numbers)(tf.constant(-2), tf.constant("40"))) == (43, 2)


def undefined_in_else(x):
    if x > 0:
        y = x
    return y


def returned_in_if(x):
    if x > 0:
        return x
    return None


def defined_in_loop(x):
    while x > 0:
        y = x
        x = x - 1
    return y


def returned_in_loop(x):
    while x > 0:
        if x > 3:
            return x
        x = x - 1
    return x


def other_type(x):
    y = 1 if x is None else 2
    if x > 0:
        y = 2.0
    return y


def other_structure(x):
    y = (x, x)
    if x > 0:
        y = x
    return y


def late_condition(x):
    while True:
        x = x - 1
        if x < 0:
            break
    return x


def falls_off(x):
    if x > 0:
        return x


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (undefined_in_else, ValueError, r"initialized in the else branch: \('y',\)"),
        (returned_in_if, ValueError, "retval_.*None"),
        (defined_in_loop, ValueError, r"must be defined before the loop: \('y',\)"),
        (returned_in_loop, ValueError, "return statements are not supported within a TensorFlow loop"),
        (other_type, TypeError, '"y" has dtype float32 in the TRUE branch, but dtype=int32 in the FALSE branch'),
        (other_structure, (TypeError, ValueError), '"y" differs.*structure'),
        (falls_off, ValueError, "must also be returned from the else branch"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_refused(function, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        to_graph(function)(tf.constant(2))


def test_variables_without_a_value_are_told_as_python_tells():
    with pytest.raises(UnboundLocalError, match="'y'"):
        to_graph(undefined_in_else)(-1)
    assert to_graph(falls_off)(-1) is None


def test_errors_and_operations_know_the_line():
    def wrong(x):
        if x > 0:
            x = tf.matmul(x, x)  # the line
        return x

    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError) as caught:
            to_graph(wrong)(tf.constant(1.0))
        lines = [entry for entry in caught.traceback if entry.path.name == "test_conversion.py"]
        assert "the line" in str(lines[-1].statement)
        value = to_graph(helper)(tf.constant(1.0))
        sites = [op.creation_site for op in graph.get_operations() if op.type == "Mul"]
    assert value is not None
    assert any("return x * 2" in str(site) for site in sites)


def test_a_condition_may_become_a_tensor_in_a_loop():
    with tf.Graph().as_default():
        assert run(to_graph(late_condition)(tf.constant(3))) == -1


def test_constants_in_functions_of_the_graph():
    def total(x):
        s = 0.0
        for _ in tf.range(3):
            if x > 0:
                s += x
        return s

    with tf.Graph().as_default():
        assert run(to_graph(total)(tf.constant(2.0))) == 6.0
        assert run(tf.function(total)(tf.constant(2.0))) == 6.0


def test_code():
    text = to_code(branches)
    assert text.startswith("def branches(x, y):\n")
    assert "ag__.if_stmt(x > y" in text
    compile(text, "code", "exec")


def test_datasets_convert_their_functions():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(5).map(lambda x: helper(x)).filter(lambda x: x > 0 and x < 8)
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as sess:
            assert [sess.run(element) for _ in range(3)] == [1, 2, 6]


def test_a_condition_of_a_loop_runs_in_the_loop_alone():
    v = tf.Variable(0, use_resource=True)

    @tf.function
    def doubled(x):
        while v.assign_add(1) < 5:
            x = x * 2.0
        return x

    x = doubled(tf.constant(1.0))
    with tf.Session() as sess:
        sess.run(v.initializer)
        # Four times below 5, and one time not.
        assert sess.run(x) == 2.0**4
        assert sess.run(v) == 5
    types = [op.type for op in doubled.get_concrete_function(tf.TensorSpec([])).graph.get_operations()]
    assert "Less" not in types
    assert "AssignAddVariableOp" not in types


def test_what_functions_of_a_turn_read_belongs_to_the_turn():
    def by_lambdas(x, n):
        for i in tf.range(n):
            double = x * 2.0
            x = tf.cond(i > 0, lambda: double + 1.0, lambda: double)  # noqa: B023  # it is what the test is of
        return x

    def by_a_nested_loop(x, n):
        while n > 0:
            n -= 1
            step = x + 1.0
            x = tf.while_loop(lambda k, y: k < 2, lambda k, y: (k + 1, y + step), [0, x])[1]  # noqa: B023  # as above
        return x

    def read_behind(x, n):
        factor = x * 0.0

        def inner():
            return factor + 1.0

        for _ in tf.range(n):
            factor = factor + 2.0
        return inner()

    # 2, 5, 11; 1 + 2 + 2, 5 + 6 + 6; 6 + 1.
    assert run(to_graph(by_lambdas)(tf.constant(1.0), tf.constant(3))) == 11.0
    assert run(to_graph(by_a_nested_loop)(tf.constant(1.0), tf.constant(2))) == 17.0
    assert run(to_graph(read_behind)(tf.constant(1.0), tf.constant(3))) == 7.0
