"""`ConfigProto.log_device_placement`."""

from __future__ import annotations

import headrace as tf


def test_each_node_is_printed_with_its_device(capsys):
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.matmul(x, x, name="squared")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        session.run(y, {x: [[1.0, 2.0], [3.0, 4.0]]})
    assert "squared: (MatMul): /job:localhost/replica:0/task:0/device:CPU:0\n" in capsys.readouterr().out
