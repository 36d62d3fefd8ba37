"""`Session.reset` without a server: all sessions of the process end, those made later do not."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


def said(do):
    try:
        return do()
    except (tf.errors.OpError, RuntimeError) as error:
        return [type(error).__name__, getattr(error, "message", "")]


with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(1.0)
    y, doubled = x + v, 2.0 * (x + v)
    began, idle, parted = tf.Session(), tf.Session(), tf.Session()
    for sess in (began, parted):
        sess.run(v.initializer)
    called = began.make_callable(y, [x])
    constant = began.make_callable(v)
    results["before"] = [called(1.0), constant()]
    handle = parted.partial_run_setup([y, doubled], [x])
    parted.partial_run(handle, y, {x: 2.0})
    results["target"] = began.sess_str
    tf.Session.reset("", ["of no variable"])
    results["began"] = said(lambda: began.run(v))
    results["idle"] = said(lambda: idle.run(v.initializer))
    results["called"] = [said(lambda: called(1.0)), said(constant)]
    results["parted"] = said(lambda: parted.partial_run(handle, doubled))
    with tf.Session() as later:
        later.run(v.initializer)
        results["later"] = later.run(y, {x: 3.0})
    began.close()
    results["closed"] = said(lambda: began.run(y, {x: 1.0}))[0]
