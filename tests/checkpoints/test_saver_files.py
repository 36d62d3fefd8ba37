"""Savers with files of TensorFlow 1.15.5, and TensorFlow with files of savers; savers that are killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import has_oracle, run_program

import headrace as tf
from headrace.core.errors import DataLossError

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures" / "checkpoints"

PARTS = """
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
    rows = tf.get_variable("rows", [7, 2])
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2, axis=1)):
    columns = tf.get_variable("columns", [3, 5], use_resource=True)
whole = tf.get_variable("whole", [4])
sess = tf.Session()
"""


def parts():
    scope = {"tf": tf}
    exec(PARTS, scope)
    return scope["rows"], scope["columns"], scope["whole"], scope["sess"]


@pytest.mark.parametrize("prefix", ["sharded", "sharded_v1-?????-of-00002"])
def test_sharded_checkpoints_of_tensorflow_are_restored(prefix):
    rows, columns, whole, sess = parts()
    tf.train.Saver().restore(sess, str(FIXTURES / prefix))
    expected = np.load(FIXTURES / "sharded.npz")
    assert np.array_equal(sess.run(rows.as_tensor()), expected["rows"])
    assert np.array_equal(sess.run(columns.as_tensor()), expected["columns"])
    assert np.array_equal(sess.run(whole), expected["whole"])


def test_objects_of_tensorflow_are_restored():
    net = tf.contrib.checkpoint.Checkpointable()
    net.weights = tf.get_variable("other_name", [2, 3], use_resource=True)
    net.list = [tf.get_variable("item", [], use_resource=True)]
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(tf.square(net.weights)) + net.list[0])
    expected = np.load(FIXTURES / "objects.npz")
    checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer)
    with tf.Session() as sess:
        checkpoint.restore(tf.train.latest_checkpoint(str(FIXTURES))).assert_consumed().run_restore_ops()
        assert np.array_equal(sess.run(net.weights), expected["weights"])
        assert np.array_equal(sess.run(optimizer.get_slot(net.weights, "m")), expected["m"])
        sess.run(train)


def test_what_optimizers_make_later_is_restored_too():
    net = tf.contrib.checkpoint.Checkpointable()
    optimizer = tf.train.AdamOptimizer(0.1)
    checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer)
    status = checkpoint.restore(str(FIXTURES / "objects-1"))
    with pytest.raises(AssertionError, match="Unresolved object"):
        status.assert_consumed()
    net.weights = tf.get_variable("weights", [2, 3], use_resource=True)
    net.list = [tf.get_variable("item", [], use_resource=True)]
    optimizer.minimize(tf.reduce_sum(net.weights) + net.list[0])
    with tf.Session() as sess:
        status.assert_consumed().run_restore_ops()
        assert np.array_equal(sess.run(optimizer.get_slot(net.weights, "m")), np.load(FIXTURES / "objects.npz")["m"])


def test_layers_are_saved_with_their_variables(tmp_path):
    layer = tf.layers.Dense(3, name="dense")
    layer(tf.ones([1, 2]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(layer=layer).write(str(tmp_path / "layer"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names[1:] == ["layer/bias/.ATTRIBUTES/VARIABLE_VALUE", "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"]


def test_a_damaged_checkpoint_is_not_restored(tmp_path):
    for name in ("many.index", "many.data-00000-of-00001"):
        shutil.copy(FIXTURES / name, tmp_path / name)
    data = tmp_path / "many.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[8 * 217] ^= 1
    data.write_bytes(content)
    tf.get_variable("layer_217/weights_of_the_layer", [2])
    with tf.Session() as sess, pytest.raises(DataLossError, match=r"many\.data-00000-of-00001"):
        tf.train.Saver().restore(sess, str(tmp_path / "many"))


def test_large_variables_are_written_in_chunks(tmp_path):
    value = np.arange(3_000_000, dtype=np.float32)
    large = tf.get_variable("large", initializer=value)
    small = tf.get_variable("small", initializer=np.float32(3))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "large"))
        sess.run(large.assign(tf.zeros_like(large)))
        tf.train.Saver().restore(sess, path)
        assert np.array_equal(sess.run(large), value)
        # What is fetched does not change with the file.
        fetched = sess.run("save/RestoreV2:0", {"save/Const:0": path})
        (tmp_path / "large.data-00000-of-00001").write_bytes(bytes(12_000_004))
        assert np.array_equal(fetched, value)
        assert sess.run(small) == 3


def test_nothing_is_lost_when_savers_are_killed(tmp_path):
    script = Path(__file__).with_name("kill_saver.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "12", "5"], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["12"], done.stderr


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("sharded", [False, True])
def test_tensorflow_restores_what_savers_write(tmp_path, version, sharded):
    rows, columns, whole, sess = parts()
    step = tf.train.get_or_create_global_step()
    words = tf.get_variable("words", initializer=tf.constant(["some", "words"]))
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver(write_version=version, sharded=sharded).save(sess, str(tmp_path / "model"), global_step=step)
    expected = sess.run([rows.as_tensor(), columns.as_tensor(), whole, words, step])
    names = [v.name for v in tf.global_variables()]
    text = f"""
import tensorflow as tf
saver = tf.train.import_meta_graph({str(tmp_path / "model-0.meta")!r})
sess = tf.Session()
saver.restore(sess, {path!r})
names = [v.name for v in tf.global_variables()]
tf.reset_default_graph()
{PARTS}
words = tf.get_variable("words", [2], tf.string)
step = tf.train.get_or_create_global_step()
tf.train.Saver().restore(sess, tf.train.latest_checkpoint({str(tmp_path)!r}))
results = {{"names": names, "values": sess.run([rows.as_tensor(), columns.as_tensor(), whole, words, step])}}
"""
    got = run_program(text, "tf1")
    assert got["names"] == names
    for mine, theirs in zip(expected, got["values"]):
        assert np.array_equal(mine, theirs)


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
def test_tensorflow_restores_objects(tmp_path):
    text = f"""
import tensorflow as tf
net = tf.contrib.checkpoint.Checkpointable()
net.weights = tf.get_variable("weights", [2, 3], initializer=tf.random_normal_initializer(seed=3), use_resource=True)
net.named = {{"scale": tf.get_variable("scale", [], initializer=tf.ones_initializer(), use_resource=True)}}
optimizer = tf.train.AdamOptimizer(0.1)
train = optimizer.minimize(tf.reduce_sum(net.weights) * net.named["scale"])
checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer)
sess = tf.Session()
with sess.as_default():
    if tf.train.latest_checkpoint({str(tmp_path)!r}):
        checkpoint.restore(tf.train.latest_checkpoint({str(tmp_path)!r})).assert_consumed().run_restore_ops()
    else:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        checkpoint.save({str(tmp_path / "ckpt")!r})
results = {{"values": sess.run([net.weights, optimizer.get_slot(net.weights, "v"), net.named["scale"]])}}
"""
    mine = run_program(text)
    assert os.path.exists(tmp_path / "ckpt-1.index")
    theirs = run_program(text, "tf1")
    for ours, other in zip(mine["values"], theirs["values"]):
        assert np.array_equal(ours, other)
