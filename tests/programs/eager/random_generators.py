"""Eager execution: generators of random numbers whose state is a variable."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in sorted(value.items())}
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
    return "None" if value is None else np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def keep(name, action):
    try:
        results[name] = shown(action())
    except Exception as error:
        results[name] = type(error).__name__


G = tf.random.experimental.Generator
for alg in (1, 2):

    def g():
        return G.from_seed(1234, alg)

    keep("state %d" % alg, lambda: g().state)
    for n, f in dict(
        normal=lambda q: q.normal([5]),
        normal64=lambda q: q.normal([3], dtype=tf.float64),
        uni=lambda q: q.uniform([5]),
        uni64=lambda q: q.uniform([3], dtype=tf.float64),
        uint=lambda q: q.uniform([5], 0, 10, tf.int32),
        uint64=lambda q: q.uniform([5], 0, 10, tf.int64),
        full=lambda q: q.uniform_full_int([3]),
        full32=lambda q: q.uniform_full_int([5], tf.int32),
        full64=lambda q: q.uniform_full_int([5], tf.int64),
        fullu32=lambda q: q.uniform_full_int([3], tf.uint32),
        trunc=lambda q: q.truncated_normal([5]),
        scalar=lambda q: q.normal([]),
        ms=lambda q: q.normal([2], 3.0, 2.0),
        half=lambda q: q.normal([3], dtype=tf.float16),
    ).items():
        q = g()
        keep("%s %d" % (n, alg), lambda: [f(q), q.state])
    q = g()
    keep("skip %d" % alg, lambda: [q.skip(7) and 0, q.state])
    q = g()
    keep("twice %d" % alg, lambda: [q.normal([3]), q.normal([3]), q.key])
    q = g()
    keep("seeds %d" % alg, lambda: q.make_seeds(3))
    q = g()
    keep("split %d" % alg, lambda: [s.state for s in q.split(2)])
    q = g()
    keep("reset %d" % alg, lambda: [q.reset_from_seed(5) and 0, q.state])
    keep("key %d" % alg, lambda: G.from_key_counter(3, [1, 2][: 3 - alg], alg).state)
keep(
    "crs",
    lambda: [
        tf.random.experimental.create_rng_state(5, 1),
        tf.random.experimental.create_rng_state(2**70 + 3, 1),
        tf.random.experimental.create_rng_state([1, 2], 2),
    ],
)
keep("bad", lambda: G.from_seed(1, 9))
keep("uni err", lambda: G.from_seed(3).uniform([2], dtype=tf.int32))
keep("copy", lambda: (lambda q: G(q).state)(G.from_seed(3)))
keep("global", lambda: tf.random.experimental.get_global_generator().normal([2]).shape)
