"""Native regions give what calls of kernels give: random graphs, with variables, branches and loops among their ops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.plan import native_regions
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]

COLUMNS = 3


class Random:
    """A graph of random ops on values [batch, 3], of which two graphs of one seed are the same.

    Args:
        seed: decides on everything.
        count: how many ops it has at least.
        batch: the size of the first axis, None where it is not known while planning.
    """

    def __init__(self, seed: int, count: int, batch: int | None) -> None:
        self.random = np.random.RandomState(seed)
        self.x = tf.placeholder(tf.float32, [batch, COLUMNS])
        self.ids = tf.placeholder(tf.int32, [batch])
        start = self.random.randn(COLUMNS, COLUMNS).astype(np.float32)
        self.variables = [
            tf.get_variable("w", initializer=start, use_resource=bool(seed % 2)),
            tf.get_variable("u", initializer=start[0], use_resource=bool(seed // 2 % 2)),
        ]
        self.values = [self.x, tf.cast(self.ids, tf.float32)[:, None] + self.x]
        self.effects: list[tf.Operation] = []
        ways = [
            self.unary,
            self.binary,
            self.reduced,
            self.product,
            self.joined,
            self.chosen,
            self.looked_up,
            self.turned,
        ]
        ways += [self.unary, self.binary, self.double, self.read]
        rare = [self.branch, self.loop, self.update, self.update, self.guarded_update, self.print]
        for _ in range(count):
            way = self.pick(ways if self.random.rand() < 0.95 else rare)
            way()

    def pick(self, items):
        return items[self.random.randint(len(items))]

    def value(self):
        return self.pick(self.values[-6:])

    def keep(self, value) -> None:
        # Bounded, or ops one after the other would leave the range of the type.
        self.values.append(tf.clip_by_value(value, -4.0, 4.0) if self.random.rand() < 0.4 else tf.tanh(value))

    def unary(self) -> None:
        ops = [
            tf.sin,
            tf.abs,
            tf.negative,
            tf.square,
            tf.nn.relu,
            tf.sigmoid,
            tf.nn.softplus,
            tf.identity,
            tf.zeros_like,
        ]
        ops += [
            tf.nn.softmax,
            lambda x: tf.sqrt(tf.abs(x) + 1.0),
            lambda x: tf.exp(-tf.abs(x)),
            lambda x: x * tf.sign(self.x),
        ]
        self.keep(self.pick(ops)(self.value()))

    def binary(self) -> None:
        ops = [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference]
        ops += [lambda x, y: x / (tf.abs(y) + 1.0), lambda x, y: tf.add_n([x, y, x]), lambda x, y: x + y[:1]]
        self.keep(self.pick(ops)(self.value(), self.value()))

    def reduced(self) -> None:
        reduce = self.pick([tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min])
        axis = self.pick([0, 1, [0, 1]])
        self.keep(self.value() * reduce(self.value(), axis, keepdims=True))

    def product(self) -> None:
        product = tf.matmul(self.value(), self.pick([self.variables[0], tf.constant(np.eye(3, dtype=np.float32))]))
        self.keep(product + self.variables[1] if self.random.rand() < 0.5 else product)

    def joined(self) -> None:
        both = tf.concat([self.value(), self.value()], 1)
        first, second = self.pick(
            [lambda t: tf.split(t, 2, 1), lambda t: (t[:, :3], t[:, 3:]), lambda t: (t[:, ::2], t[:, 1:4])]
        )(both)
        self.keep(first - second)

    def chosen(self) -> None:
        # What is compared is the same to the last bit, here and there.
        x, y, exact = self.value(), self.value(), self.x
        some = self.pick(
            [lambda: exact > 0.1, lambda: tf.logical_and(exact > -0.5, exact <= 0.7), lambda: tf.equal(exact, exact)]
        )
        self.keep(tf.where(some(), x, -y))

    def looked_up(self) -> None:
        rows = tf.gather(self.variables[0], self.ids)
        self.keep(self.pick([rows, tf.one_hot(self.ids, COLUMNS)]) * self.value())

    def turned(self) -> None:
        x = self.value()
        ways = [lambda: tf.transpose(tf.transpose(x) * 0.5), lambda: tf.reshape(tf.reshape(x, [-1]), [-1, COLUMNS])]
        ways += [
            lambda: tf.reverse(x, [1]),
            lambda: tf.squeeze(tf.expand_dims(x, 1), 1),
            lambda: tf.stack(tf.unstack(x, axis=1), 1),
        ]
        self.keep(self.pick(ways)())

    def double(self) -> None:
        wide = tf.cast(self.value(), tf.float64) * tf.constant(0.75, tf.float64)
        whole = tf.cast(tf.floor(self.x * 8.0), tf.int32) + self.ids[:, None]
        self.keep(tf.cast(wide, tf.float32) + tf.cast(whole // 3 + whole % 5, tf.float32))

    def read(self) -> None:
        self.keep(self.value() + tf.reduce_sum(self.variables[0].read_value(), 0) + self.variables[1])

    def branch(self) -> None:
        x, y = self.value(), self.value()
        self.keep(tf.cond(tf.reduce_sum(x) > 0.3, lambda: tf.tanh(x * 2.0 + y) - 0.5, lambda: tf.sin(y) * x + 0.25))

    def loop(self) -> None:
        x, y = self.value(), self.value()

        def body(i, t):
            return i + 1, tf.tanh(t * 0.5 + tf.sin(y) * tf.cast(i, tf.float32)) - 0.1 * t

        self.keep(tf.while_loop(lambda i, _: i < 4, body, [0, x])[1])

    def update(self) -> None:
        variable, change = self.pick(self.variables), tf.reduce_mean(self.value(), 0)
        with tf.control_dependencies(self.effects[-1:]):
            update = self.pick([variable.assign_add, variable.assign_sub])
            done = update(change * 0.1 if variable is self.variables[1] else tf.ones([COLUMNS, 1]) * change * 0.1)
        self.effects.append(done.op)
        if self.random.rand() < 0.5:
            with tf.control_dependencies([done]):
                self.keep(
                    self.value() * variable.read_value()[..., :COLUMNS]
                    if variable is self.variables[1]
                    else self.value() + 0.5
                )

    def guarded_update(self) -> None:
        variable, x = self.variables[1], self.value()
        with tf.control_dependencies(self.effects[-1:]):
            change = tf.reduce_mean(x, 0) * 0.1

            def written():
                with tf.control_dependencies([variable.assign_add(change), tf.assign(variable, change * 2.0)]):
                    return tf.identity(change) + 1.0

            chosen = tf.cond(tf.reduce_sum(self.x) > 0.0, written, lambda: change * 3.0)
        self.effects.append(chosen.op)
        self.keep(x + chosen)

    def print(self) -> None:
        # A call of Python stands for what no region takes.
        self.keep(tf.reshape(tf.py_func(lambda x: x * np.float32(0.5), [self.value()], tf.float32), tf.shape(self.x)))

    def fetches(self, train: bool):
        loss = tf.reduce_sum(self.values[-1] * self.values[-2])
        kept = [self.values[i] for i in sorted({self.random.randint(len(self.values)) for _ in range(4)})]
        if not train:
            return [loss, *kept, *self.effects]
        optimizers = [
            lambda: tf.train.GradientDescentOptimizer(0.01),
            lambda: tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True),
            lambda: tf.train.AdamOptimizer(0.01),
            lambda: tf.train.AdagradOptimizer(0.01),
            lambda: tf.train.RMSPropOptimizer(0.01),
        ]
        extra = sum(tf.nn.l2_loss(v) for v in self.variables)
        with tf.control_dependencies(self.effects):
            step = self.pick(optimizers)().minimize(loss * 1e-2 + extra, var_list=self.variables)
        return [step, loss, *kept]


def results(seed: int, count: int, batch: int | None, train: bool):
    """What two steps give, and the variables after them."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = Random(seed, count, batch)
        fetches = made.fetches(train)
        session.run(tf.global_variables_initializer())
        found = []
        for size in (2, 2) if batch else (2, 4):
            rows = np.random.RandomState(seed).randn(size, COLUMNS).astype(np.float32)
            found += session.run(fetches, {made.x: rows, made.ids: np.arange(size) % COLUMNS})
        return [value for value in found if value is not None] + session.run(tf.global_variables())


@pytest.mark.parametrize("least", [1, 3])
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**20),
    count=st.one_of(st.integers(2, 30), st.integers(2, 200)),
    batch=st.sampled_from([2, None]),
    train=st.booleans(),
)
def test_random_graphs_give_the_same(least, seed, count, batch, train):
    with regions_from(least):
        native_values = results(seed, count, batch, train)
    with without("native regions"):
        plain_values = results(seed, count, batch, train)
    for one, other in zip(native_values, plain_values, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        largest = max(1.0, float(np.max(np.abs(other), initial=0.0)))
        np.testing.assert_allclose(one, other, rtol=2e-3, atol=5e-4 * largest)


def test_finding_regions_takes_time_by_the_nodes(monkeypatch):
    asked = []
    guard = native_regions._Block.guard
    monkeypatch.setattr(native_regions._Block, "guard", lambda block, node: (asked.append(node), guard(block, node))[1])

    def looks(count):
        """How often a node is looked at where nodes of the runner wait for so many others, one after the other."""
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [2])
            value = x
            for _ in range(count):
                value = tf.py_func(lambda n: n, [tf.sin(value) * 0.5], tf.float32)
                value.set_shape([2])
            asked.clear()
            assert np.all(np.abs(sess.run(value, {x: [1.0, 2.0]})) < 0.5)
        return len(asked)

    assert looks(60) <= 2.5 * looks(30)
