"""Variable scopes in full: nesting, sharing, capturing, getters, presets, templates, creators, refusals; all names."""

import tensorflow as tf

results = {}
said = results.setdefault("said", [])


def say(*values):
    said.append(" ".join(str(value) for value in values))


def attempt(action):
    try:
        say("fine", action())
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        say(type(error).__name__, str(error).split("\n")[0].split(";")[0])


def a(name="Const"):
    return tf.constant(1.0, name=name).name


def get(*args, **kwargs):
    return tf.get_variable(*args, **kwargs).name


with tf.variable_scope("a", regularizer=lambda x: tf.reduce_sum(x)) as outer:
    w = tf.get_variable("w", [2])
    say(w.name, a(), outer.name, outer.original_name_scope, outer.reuse)
    with tf.variable_scope("b", reuse=tf.AUTO_REUSE) as inner:
        x = tf.get_variable("x", [2], initializer=tf.zeros_initializer)
        say(x.name, tf.get_variable("x", [2]) is x, inner.original_name_scope, inner.reuse)
    with tf.variable_scope("b"):
        say(a(), get("y", [1]))
    for name in ("b", "c", "c"):
        with tf.variable_scope(None, name):
            say(a(), get("y", [1]))
with tf.variable_scope(outer, reuse=True) as again:
    say(tf.get_variable("w", [2]) is w, a(), again.name, again.original_name_scope, again.reuse)
    with tf.variable_scope("b") as deeper:
        say(tf.get_variable("x") is x, a(), deeper.reuse, deeper.original_name_scope)
    attempt(lambda: get("n", [2]))
with tf.variable_scope("z"):
    with tf.variable_scope(outer):
        say(a(), get("nn", [2]))
    with tf.variable_scope(outer, auxiliary_name_scope=False) as bare:
        say(a())
        with tf.name_scope(bare.original_name_scope):
            say(a())
    with tf.variable_scope("q", auxiliary_name_scope=False):
        say(a(), get("q1", [2]))
with tf.variable_scope("", reuse=True):
    say(a())
with tf.variable_scope(tf.get_variable_scope()) as root:
    say(repr(root.name), a(), repr(root.original_name_scope))
scope = tf.variable_scope("again")
for _ in range(2):
    with scope as entered:
        say(entered.name, a(), entered.original_name_scope)
for _ in range(2):
    with tf.variable_scope(None, "preset") as entered:
        say(entered.name, entered.original_name_scope, get("w", [1]))
with tf.variable_op_scope([w], None, "old", reuse=None) as entered:
    say(entered.name, get("w", [1]))


def renaming(getter, name, *args, **kwargs):
    say("renaming", name, sorted(kwargs))
    return getter(name + "_x", *args, **kwargs)


def watching(getter, *args, **kwargs):
    say("watching", sorted(kwargs))
    return getter(*args, **kwargs)


with tf.variable_scope("getters", custom_getter=renaming):
    say(get("w", [1]))
    with tf.variable_scope("in", custom_getter=watching):
        say(get("w", [1]))
    say(get("v", [1], custom_getter=watching))
with tf.variable_scope(
    "r",
    use_resource=True,
    dtype=tf.float64,
    initializer=tf.ones_initializer(),
    caching_device="/cpu:0",
    constraint=lambda value: value,
) as presets:
    rv = tf.get_variable("rv", [2])
    say(rv, type(rv).__name__, tf.Variable(1.0, name="rr"), rv.constraint is not None)
    say((rv * 2.0).name, rv.value().name)
    say(presets.dtype, presets.use_resource, presets.caching_device)
    presets.set_dtype(tf.float32)
    presets.set_use_resource(False)
    presets.set_initializer(tf.zeros_initializer())
    say(tf.get_variable("later", [2]))
local = tf.get_local_variable("lv", [2])
say([v.name for v in tf.local_variables()], local.trainable)
say([v.name for v in outer.global_variables()], [v.name for v in outer.trainable_variables()])
say([v.name for v in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])

tf.get_variable("z1", [1])
attempt(lambda: get("z1", [1]))
attempt(lambda: get("constant", [2], initializer=tf.constant([1.0, 2.0])))
attempt(lambda: get("complex", [2], dtype=tf.complex64))
attempt(lambda: get("no_shape"))
attempt(lambda: get("types", dtype=tf.int32, initializer=1.0))
attempt(lambda: get("from_value", initializer=2.5))
attempt(lambda: get("from_function", initializer=lambda: tf.ones([3])))
attempt(lambda: get("ints", [2], tf.int32) + get("bools", [2], tf.bool) + get("texts", [2], tf.string))
with tf.variable_scope("", reuse=True):
    attempt(lambda: get("not_there"))
    attempt(lambda: get("z1", [2]))
    attempt(lambda: get("z1", [1], tf.int32))
attempt(lambda: tf.variable_scope(None))
attempt(lambda: tf.variable_scope(1).__enter__())
attempt(lambda: tf.variable_scope("s", reuse=3))
attempt(lambda: tf.variable_scope("s", auxiliary_name_scope=3))
attempt(lambda: tf.variable_scope(None, "s", reuse=True).__enter__())
attempt(lambda: tf.Variable())
attempt(lambda: tf.Variable(tf.placeholder(tf.float32)))
attempt(lambda: tf.Variable(1.0, collections="name"))
attempt(lambda: tf.Variable(1.0, constraint=1))
attempt(lambda: tf.Variable(1.0, synchronization=17))
attempt(lambda: iter(w))
attempt(lambda: w.assign([1.0, 2.0, 3.0]))
attempt(lambda: rv.assign([1.0, 2.0, 3.0]))
attempt(lambda: w.assign_add([[1.0, 2.0]]))
attempt(lambda: tf.scatter_add(w, [1], [[1.0, 2.0]]))
attempt(lambda: w.scatter_add(1.0))
attempt(lambda: w.load([1.0, 2.0]))
attempt(lambda: rv.set_shape([2]))
attempt(lambda: rv.__iadd__(1.0))
results["ops"] = [
    "%s %s %s" % (o.name, o.type, [t.name for t in o.inputs]) for o in tf.get_default_graph().get_operations()
]


def named(next_creator, **kwargs):
    kwargs["name"] = (kwargs["name"] or "V") + "_made"
    return next_creator(**kwargs)


def scale(value, shift=1.0):
    return value * tf.get_variable("v", [1]) + shift


with tf.Graph().as_default() as graph:
    with tf.variable_creator_scope(named):
        say(tf.Variable(1.0, name="c").name, get("d", [1]))
    template = tf.make_template("tt", scale, shift=2.0)
    say(
        template(1.0).name,
        template(3.0).name,
        template.variable_scope.name,
        template.variable_scope_name,
        template.name,
    )
    say([v.name for v in template.variables])
    early = tf.make_template("tt", scale, create_scope_now_=True)
    say(early(1.0).name, early(1.0).name, [v.name for v in early.trainable_variables])
    say(tf.make_template("tt", scale, unique_name_="unique")(1.0).name)
    attempt(lambda: tf.make_template("tt", scale, unique_name_="unique")(1.0))
    wrong = tf.make_template("wrong", lambda value: value * tf.Variable(1.0))
    wrong(1.0)
    attempt(lambda: wrong(1.0))
    got = tf.make_template("got", scale, custom_getter_=renaming)
    say(got(1.0).name)
    with tf.variable_scope("o"):
        say(template(1.0).name)
        inner = tf.make_template("tt", scale)
        say(inner(1.0).name, inner(2.0).name)
    with tf.name_scope("ns"):
        say(template(1.0).name, tf.make_template("tt", scale)(1.0).name)
    results["template ops"] = [o.name + " " + o.type for o in graph.get_operations()]
    framework = tf.contrib.framework
    say([v.name for v in framework.get_variables_by_name("v")], [v.name for v in framework.get_variables("o")])
    say([v.name for v in framework.get_variables_by_suffix("v", "unique")])
    say(
        [v.name for v in framework.get_variables_to_restore(exclude=["tt"])], framework.get_unique_variable("tt/v").name
    )

with tf.Graph().as_default():
    parts = tf.get_variable(
        "parts", [5, 4], partitioner=tf.fixed_size_partitioner(3), initializer=tf.constant_initializer(2.0)
    )
    whole = tf.add(parts, 1.0)
    cut = tf.get_variable(
        "cut", initializer=tf.reshape(tf.range(10.0), [5, 2]), partitioner=tf.fixed_size_partitioner(2)
    )
    made = tf.create_partitioned_variables([6, 2], [2, 1], tf.zeros_initializer(), name="made")
    say([v.name for v in parts], len(parts), parts.name, parts.dtype, [v._get_save_slice_info().spec for v in parts])
    say([v.name for v in made], [v._get_save_slice_info().spec for v in made])
    shape = tf.TensorShape([10, 10])
    say(tf.variable_axis_size_partitioner(100)(shape, tf.float32))
    say(tf.variable_axis_size_partitioner(100, axis=1, max_shards=2)(shape, tf.float32))
    say(tf.min_max_variable_partitioner(4, 0, 64)(shape, tf.float32))
    with tf.variable_scope("", reuse=True):
        say(tf.get_variable("parts") is parts)
        attempt(lambda: tf.get_variable("parts", [5, 4], partitioner=tf.fixed_size_partitioner(2)))
        attempt(lambda: tf.get_variable("parts", [5, 3], partitioner=tf.fixed_size_partitioner(3)))
    attempt(lambda: tf.get_variable("parts", [5, 4]))
    attempt(lambda: tf.get_variable("parts", [5, 4], partitioner=tf.fixed_size_partitioner(3)))
    attempt(lambda: tf.get_variable("two", [5, 4], partitioner=lambda **_: [2, 2]))
    doubled = parts.assign_add(tf.ones([5, 4]))
    results["part ops"] = [
        "%s %s %s" % (o.name, o.type, [t.name for t in o.inputs]) for o in tf.get_default_graph().get_operations()
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["parts"] = [sess.run(whole), sess.run(tf.convert_to_tensor(cut)), sess.run(doubled), sess.run(whole)]
