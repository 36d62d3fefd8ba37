"""Eager execution: summaries, decays, averages, optimizers, tables and datasets."""

import glob
import tempfile

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


x = tf.constant(np.arange(12).reshape(2, 6) / 10.0, tf.float32)
ones = tf.ones_initializer()
# summaries
d = tempfile.mkdtemp()


def events(d):
    out = []
    for f in sorted(glob.glob(d + "/*")):
        for e in tf.train.summary_iterator(f):
            out.append(
                [
                    e.step,
                    [(v.tag, v.WhichOneof("value"), v.metadata.plugin_data.plugin_name) for v in e.summary.value],
                    e.WhichOneof("what"),
                ]
            )
    return out


keep("tf.summary", lambda: tf.summary.scalar("a", 1.0))
keep("tf.summary.h", lambda: tf.summary.histogram("a", x))
keep("tf.summary.merge_all", lambda: tf.summary.merge_all())
keep("tf.summary.merge", lambda: tf.summary.merge([tf.constant("")]))
keep("tf.summary.FileWriter", lambda: type(tf.summary.FileWriter(d)).__name__)
S = tf.contrib.summary


def summ():
    d = tempfile.mkdtemp()
    w = S.create_file_writer(d, flush_millis=10)
    gs = tf.train.get_or_create_global_step()
    with w.as_default(), S.always_record_summaries():
        S.scalar("s", 2.0)
        S.histogram("h", x)
        S.image("i", tf.ones([1, 2, 2, 3]))
        S.audio("au", tf.ones([1, 10]), 8000.0, 1)
        S.generic("g", x)
        S.scalar("st", 1, step=77)
        with tf.name_scope("sc"):
            S.scalar("inner", 3)
    gs.assign(4)
    with w.as_default(), S.record_summaries_every_n_global_steps(2):
        S.scalar("s", 2.5)
    gs.assign(5)
    with w.as_default(), S.record_summaries_every_n_global_steps(2):
        S.scalar("s", 2.6)
    with w.as_default(), S.never_record_summaries():
        S.scalar("s", 2.7)
    with w.as_default():
        r = S.should_record_summaries()
    S.flush(w)
    w.close()
    return [events(d), S.all_summary_ops(), r]


keep("contrib.summary", summ)
keep("eval_dir", lambda: S.eval_dir("/a/b", "x"))
keep("initialize", lambda: S.initialize())
keep("none writer", lambda: S.scalar("x", 1))


def tfn():
    d = tempfile.mkdtemp()
    w = S.create_file_writer(d)

    @tf.function
    def f(v):
        with S.always_record_summaries():
            S.scalar("infn", v, step=3)
        return v

    with w.as_default():
        f(tf.constant(2.0))
    w.close()
    return events(d)


keep("summary in fn", tfn)


# train
def decay(f, *a, **k):
    st = tf.Variable(0, trainable=False)
    v = f(0.1, st, *a, **k)
    return [callable(v), v(), [st.assign(7) and None, v()][1]]


keep("exp", lambda: decay(tf.train.exponential_decay, 5, 0.5))
keep("exps", lambda: decay(tf.train.exponential_decay, 5, 0.5, staircase=True))
keep("inv", lambda: decay(tf.train.inverse_time_decay, 5, 0.5))
keep("nat", lambda: decay(tf.train.natural_exp_decay, 5, 0.5))
keep("poly", lambda: decay(tf.train.polynomial_decay, 5, 0.01, cycle=True))
keep("cos", lambda: decay(tf.train.cosine_decay, 10))
keep("cosr", lambda: decay(tf.train.cosine_decay_restarts, 5))
keep("lin", lambda: decay(tf.train.linear_cosine_decay, 10))
keep("noisy", lambda: callable(tf.train.noisy_linear_cosine_decay(0.1, tf.Variable(1), 10)))


def pw():
    st = tf.Variable(3, trainable=False)
    v = tf.train.piecewise_constant(st, [2, 6], [1.0, 0.5, 0.1])
    return [callable(v), v(), [st.assign(9) and None, v()][1]]


keep("pw", pw)


def opt_decay():
    gs = tf.train.get_or_create_global_step()
    gs.assign(0)
    lr = tf.train.exponential_decay(1.0, gs, 1, 0.5)
    o = tf.train.GradientDescentOptimizer(lr)
    v = tf.Variable(1.0)
    r = []
    for _ in range(3):
        o.minimize(lambda: v * 1.0, global_step=gs)
        r.append(v.numpy())
    return r


keep("optdecay", opt_decay)


def ema():
    v = tf.Variable(1.0)
    e = tf.train.ExponentialMovingAverage(0.5)
    e.apply([v])
    v.assign(3.0)
    e.apply([v])
    return [e.average(v), e.average_name(v), e.variables_to_restore([v]) and 1]


keep("ema", ema)
keep("ema t", lambda: tf.train.ExponentialMovingAverage(0.5).apply([x]))
keep(
    "ema0",
    lambda: (lambda e, v: [e.apply([v]), v.assign(4.0), e.apply([v]), e.average(v)])(
        tf.train.ExponentialMovingAverage(0.5, zero_debias=True, num_updates=tf.Variable(3)), tf.Variable(2.0)
    ),
)
keep("gs", lambda: [tf.train.get_global_step().name, tf.train.create_global_step()])
for n, k in [
    ("Adam", {}),
    ("Adagrad", {}),
    ("RMSProp", {}),
    ("Momentum", {"momentum": 0.9}),
    ("Ftrl", {}),
    ("Adadelta", {}),
    ("ProximalAdagrad", {}),
    ("GradientDescent", {}),
    ("ProximalGradientDescent", {}),
]:

    def o():
        v = tf.Variable([1.0, 2.0])
        w = tf.Variable(tf.ones([4, 2]))
        op = getattr(tf.train, n + "Optimizer")(0.1, **k)
        for _ in range(3):
            op.minimize(lambda: tf.reduce_sum(v * v) + tf.reduce_sum(tf.nn.embedding_lookup(w, [1, 1, 3])))
        return [v, w, [q.name for q in op.variables()]]

    keep(n, o)
keep("min tensor", lambda: tf.train.AdamOptimizer(0.1).minimize(x))
keep("min none", lambda: tf.train.AdamOptimizer(0.1).minimize(lambda: x))
keep(
    "agda",
    lambda: tf.train.AdagradDAOptimizer(0.1, tf.Variable(1, dtype=tf.int64)).minimize(lambda v=tf.Variable(1.0): v * v),
)
keep("clip", lambda: tf.clip_by_global_norm([x, x], 1.0))


# tables
def table():
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
    return [t.lookup(tf.constant(["a", "z"])), t.size()]


keep("table", table)
keep(
    "mht",
    lambda: (
        lambda t: [
            t.insert(tf.constant([1, 2], tf.int64), [3.0, 4.0]),
            t.lookup(tf.constant([2, 9], tf.int64)),
            t.size(),
        ]
    )(tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, -1.0)),
)
keep(
    "dense t",
    lambda: (
        lambda t: [
            t.insert(tf.constant([1, 2], tf.int64), tf.constant([3, 4], tf.int64)),
            t.lookup(tf.constant([2, 9], tf.int64)),
        ]
    )(tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-5)),
)
keep(
    "idx",
    lambda: tf.contrib.lookup.index_table_from_tensor(["x", "y"], num_oov_buckets=1).lookup(tf.constant(["y", "q"])),
)
keep(
    "idx str",
    lambda: tf.contrib.lookup.index_to_string_table_from_tensor(["x", "y"]).lookup(tf.constant([1, 5], tf.int64)),
)
# data
D = tf.data.Dataset
keep("ds", lambda: [e.numpy() for e in D.range(5).map(lambda v: v * 2).batch(2)])
keep("one shot", lambda: [e.numpy() for e in D.range(3).make_one_shot_iterator()])
keep("init it", lambda: D.range(3).make_initializable_iterator())
keep("single", lambda: tf.data.experimental.get_single_element(D.range(3).batch(3)))
keep("shuf", lambda: sorted(e.numpy() for e in D.range(5).shuffle(5, seed=1)))


def shufe():
    d = D.range(10).shuffle(10, seed=3)
    a = [e.numpy() for e in d]
    b = [e.numpy() for e in d]
    return [a != b, sorted(a)]


keep("shuf ep", shufe)


def shufe2():
    tf.set_random_seed(5)
    d = D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False)
    a = [e.numpy() for e in d]
    b = [e.numpy() for e in d]
    return [a, b]


keep("shuf no", shufe2)


def capt():
    v = tf.Variable(2, dtype=tf.int64)
    d = D.range(3).map(lambda q: q * v)
    a = [e.numpy() for e in d]
    v.assign(10)
    return [a, [e.numpy() for e in d]]


keep("capt", capt)
keep("prefetch dev", lambda: [e.numpy() for e in D.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))])
keep("reduce", lambda: D.range(5).reduce(np.int64(0), lambda a, b: a + b))
keep("gen", lambda: [e.numpy() for e in D.from_generator(lambda: iter([1, 2, 3]), tf.int32)])
keep(
    "pyf", lambda: [e.numpy() for e in D.range(3).map(lambda q: tf.py_function(lambda z: z.numpy() + 1, [q], tf.int64))]
)
keep("card", lambda: tf.data.experimental.cardinality(D.range(7)))
keep("take it", lambda: next(iter(D.from_tensors({"a": x, "b": (1, 2)})))["b"])
keep("filter", lambda: [e.numpy() for e in D.range(6).filter(lambda q: q % 2 < 1)])
keep(
    "interleave",
    lambda: [e.numpy() for e in D.range(3).interleave(lambda q: D.from_tensors(q).repeat(2), cycle_length=2)],
)
keep("zip", lambda: [(a.numpy(), b.numpy()) for a, b in D.zip((D.range(3), D.range(3, 6)))])
keep("padded", lambda: [e.numpy() for e in D.range(1, 4).map(lambda q: tf.fill([q], q)).padded_batch(2, [None])])
keep("window", lambda: [[v.numpy() for v in w] for w in D.range(5).window(2)])
keep(
    "sparse ds",
    lambda: [tf.sparse.to_dense(e).numpy() for e in D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]]))],
)
keep("ragged ds", lambda: [e.to_list() for e in D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))])
keep("it types", lambda: [str(iter(D.range(3)).output_types), str(D.range(3).element_spec)])
keep("repeat", lambda: len([e for e in D.range(3).repeat(2)]))
keep("err it", lambda: [e for e in D.range(3).map(lambda q: 1 // (q - 1))])
keep("optional", lambda: tf.data.experimental.get_next_as_optional(iter(D.range(1))).get_value())
keep("iter next", lambda: (lambda i: [next(i), i.get_next()])(iter(D.range(5))))
keep("tfrec", lambda: 0)
keep("ckpt iter", lambda: tf.data.experimental.make_saveable_from_iterator(iter(D.range(3))))
keep("unbatch", lambda: [e.numpy() for e in D.range(4).batch(2).apply(tf.data.experimental.unbatch())])
keep(
    "group",
    lambda: [
        e.numpy()
        for e in D.range(4).apply(tf.data.experimental.group_by_window(lambda q: q % 2, lambda k, d: d.batch(2), 2))
    ],
)
keep(
    "scan",
    lambda: [e.numpy() for e in D.range(4).apply(tf.data.experimental.scan(np.int64(0), lambda s, q: (s + q, s + q)))],
)
