"""Staging areas, in order and by key."""

import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

results = {}
sess = tf.Session()
area = tf.contrib.staging.StagingArea([tf.float32, tf.int32], shapes=[[2], []])
x = tf.placeholder(tf.float32, [2])
n = tf.placeholder(tf.int32, [])
put, size, clear = area.put([x, n]), area.size(), area.clear()
get, peek = area.get(), area.peek(1)
results["names"] = [area.name, put.name, put.type, size.name, clear.name, get[0].name, get[1].name, peek[0].name]
results["shapes"] = [str(t.shape) for t in get + peek]
for i in range(3):
    sess.run(put, {x: [i, i + 1], n: i})
results["size"] = sess.run(size)
results["peek"] = sess.run(peek)
results["get"] = sess.run(get)
results["both"] = sess.run([get, put], {x: [9, 9], n: 9})[0]
sess.run(clear)
results["cleared"] = sess.run(size)
results["at once"] = sess.run([put] + get, {x: [4, 5], n: 6})[1:]

named = tf.contrib.staging.StagingArea([tf.int32], names=["a"], shared_name="named", capacity=1)
sess.run(named.put({"a": n}), {n: 3})
results["named"] = sess.run(named.get())
for ordered in (False, True):
    table = data_flow_ops.MapStagingArea([tf.float32, tf.int32], names=["x", "n"], ordered=ordered)
    key = tf.placeholder(tf.int64, [])
    half, rest = table.put(key, {"x": x}), table.put(key, {"n": n})
    whole, anything = table.get(key), table.get()
    seen = table.peek(key)
    results["map names %s" % ordered] = [table.name, half.name, half.type, whole[1]["x"].name, anything[0].name]
    for k in (7, 3, 5):
        sess.run(half, {key: k, x: [k, k]})
    results["incomplete %s" % ordered] = sess.run([table.size(), table.incomplete_size()])
    for k in (7, 3, 5):
        sess.run(rest, {key: k, n: k * 10})
    results["complete %s" % ordered] = sess.run([table.size(), table.incomplete_size()])
    results["seen %s" % ordered] = sess.run(seen, {key: 5})
    results["whole %s" % ordered] = sess.run(whole[1], {key: 5})
    if ordered:
        results["least"] = [sess.run(anything) for _ in range(2)]
sess.close()
