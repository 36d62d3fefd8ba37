"""What people get wrong with sessions and graphs: the class of each error, and what it says where programs read it."""

import tensorflow as tf

results = {}
a = tf.placeholder_with_default([1.0, 2.0], [None], name="a")
b = a * 2
c = tf.add(b, 1, name="c")
v = tf.Variable([3.0, 4.0], name="v")
given = tf.placeholder(v.dtype, v.get_shape())
load = v.assign(given)
d = c * v
other_graph = tf.Graph()
with other_graph.as_default():
    elsewhere = tf.constant(1.0)
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()


def attempt(name, function, words=False):
    try:
        results[name] = str(function())
    except (tf.errors.OpError, KeyError, LookupError, RuntimeError, TypeError, ValueError) as error:
        first_line = str(error).split("\n")[0].split(" and with computed")[0].rstrip(".")
        results[name] = type(error).__name__ + (": " + first_line if words else "")


def scoped(name):
    with tf.name_scope("outer"):
        return tf.identity(1, name=name).name


attempt("placeholder not fed", lambda: sess.run(given))
attempt("wrong shape fed", lambda: sess.run(load, {given: [1, 2, 3]}), True)
attempt("scalar fed", lambda: sess.run(load, {given: 1}), True)
attempt("feeds not a dict", lambda: sess.run(c, feed_dict=[a]))
attempt("feeds not a dict, known", lambda: (sess.run(c, {a: [1.0]}), sess.run(c, feed_dict=[a])))
attempt("unknown feed", lambda: sess.run(c, {"zz:0": 1}))
attempt("text for numbers", lambda: sess.run(c, {a: "hello"}))
attempt("tensor fed", lambda: sess.run(c, {a: tf.constant(1.0)}))
attempt("unknown fetch", lambda: sess.run("nope:0"))
attempt("operation by name", lambda: sess.run("c"))
attempt("None", lambda: sess.run(None))
attempt("number", lambda: sess.run(3))
attempt("nested None", lambda: sess.run([c, [None]]))
attempt("product of shapes", lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), True)
attempt("sum of shapes", lambda: tf.ones([2]) + tf.ones([3]), True)
attempt("types", lambda: tf.constant(1) + tf.constant(1.0))
attempt("as a bool", lambda: bool(a > 1))
attempt("in a loop", lambda: list(a))
attempt("join of ranks", lambda: tf.concat([tf.ones([2, 2]), tf.ones([3])], 0), True)
attempt("join of sizes", lambda: tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 1), True)
attempt("unknown input shape", lambda: tf.concat([tf.ones([2]), tf.ones([3, 3])], tf.placeholder(tf.int32)), True)
attempt("other session", lambda: a.eval(session=tf.Session(graph=other_graph)), True)
attempt("other session, op", lambda: v.initializer.run(session=tf.Session(graph=other_graph)), True)
attempt("other graph", lambda: a + elsewhere)
attempt("fetch of other graph", lambda: sess.run(elsewhere))
attempt("uninitialized", lambda: tf.Variable(1.0, name="late").eval())
attempt("no shape", lambda: tf.get_variable("u"), True)
attempt("ragged", lambda: tf.constant([[1, 2], [3]]))
attempt("shapes do not merge", lambda: tf.one_hot([1], 3).set_shape([2, 3]), True)
attempt("length", lambda: len(a))
attempt("bad name", lambda: tf.identity(1, name="bad name"), True)
attempt("underscore", lambda: tf.identity(1, name="_hidden").name)
attempt("underscore in a scope", lambda: scoped("_hidden"))
attempt("numbers checked", lambda: sess.run(tf.check_numerics(a / 0.0, "boom")))
attempt("checked by group", lambda: sess.run(tf.group(tf.check_numerics(a / 0.0, "boom"))))
attempt("assertion", lambda: sess.run(tf.Assert(tf.less(1, 0), ["data", a])))
attempt("index", lambda: sess.run(tf.gather(a, [7])))
attempt("unharmed", lambda: sess.run([c, d]))
results["intermediate fed"] = [c.eval({b: [7.0]}), d.eval({c: [10, 20]}), d.eval({v: [100.0, 100.0]})]
sess.run(load, {given: [30, 40]})
results["loaded"] = v.eval()
sess.close()
attempt("closed", lambda: sess.run(c), True)
