"""Masks, thresholds and the ops that update them; layers and cells with masks."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import model_pruning as pruning

results = {}
random = np.random.RandomState(2)


def names(variables):
    return [v.op.name for v in variables]


with tf.Graph().as_default() as graph, tf.Session() as sess:
    images = tf.constant(random.rand(2, 6, 6, 3).astype(np.float32))
    start = tf.constant_initializer(random.randn(3 * 3 * 3 * 4).astype(np.float32).tolist())
    net = pruning.masked_conv2d(images, 4, [3, 3], stride=2, weights_initializer=start, scope="conv")
    net = pruning.masked_convolution(
        net, 2, 1, normalizer_fn=tf.contrib.layers.batch_norm, weights_initializer=tf.ones_initializer()
    )
    spread = tf.constant_initializer(np.linspace(-1, 1, 18 * 5).tolist())
    flat = tf.reshape(net, [2, 18])
    hidden = pruning.masked_fully_connected(
        flat, 5, weights_initializer=spread, variables_collections=["mine"], outputs_collections="outs"
    )
    table = tf.get_variable("table", [5, 4], initializer=tf.constant_initializer(np.arange(20) / 10.0 - 1.0))
    logits = tf.matmul(hidden, pruning.apply_mask(table, "table_scope"))
    results["collections"] = {
        "masks": names(pruning.get_masks()),
        "thresholds": names(pruning.get_thresholds()),
        "masked": [t.name for t in pruning.get_masked_weights()],
        "weights": names(pruning.get_weights()),
        "mine": names(tf.get_collection("mine")),
        "outs": [t.op.name for t in tf.get_collection("outs")],
        "trainable": names(tf.trainable_variables()),
        "global": [[v.op.name, str(v.shape)] for v in tf.global_variables()],
        "model": names(tf.model_variables()),
    }
    step = tf.train.get_or_create_global_step()
    hparams = pruning.get_pruning_hparams()
    results["hparams"] = hparams.values()
    hparams.parse(
        "begin_pruning_step=1,end_pruning_step=5,pruning_frequency=2,target_sparsity=0.6,threshold_decay=0.25,"
        "sparsity_function_end_step=4,weight_sparsity_map=[fully_connected:0.3],name=cut"
    )
    tool = pruning.Pruning(hparams, global_step=step)
    update = tool.conditional_mask_update_op()
    always = tool.mask_update_op()
    tool.add_pruning_summaries()
    results["summaries"] = sorted(s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES))
    results["ops"] = [op.name for op in graph.get_operations() if "cut" in op.name or "pruning_ops" in op.name]
    sparsity = pruning.get_weight_sparsity()
    sess.run(tf.global_variables_initializer())
    history = []
    for i in range(7):
        sess.run(tf.assign(step, i))
        sess.run(update)
        history.append(sess.run([sparsity, pruning.get_thresholds(), "cut/last_mask_update_step:0", "cut/sparsity:0"]))
    results["history"] = history
    results["masks"] = sess.run(pruning.get_masks())
    results["logits"] = sess.run(logits)
    results["gradients"] = sess.run(tf.gradients(logits, [table]))
    sess.run(always)
    folder = tempfile.mkdtemp()
    tf.train.Saver().save(sess, os.path.join(folder, "model.ckpt"))
    output = logits.op.name

with tf.Graph().as_default():
    frozen = pruning.graph_def_from_checkpoint(folder, [output])
stripped = pruning.strip_pruning_vars_fn(frozen, [output])
results["stripped"] = sorted([node.name, node.op] for node in stripped.node)
with tf.Graph().as_default(), tf.Session() as sess:
    (value,) = tf.import_graph_def(stripped, return_elements=[output + ":0"])
    results["stripped_logits"] = sess.run(value)

for name, settings in [
    ("avg", "block_height=2,block_width=2"),
    ("max", "block_dims_map=[w:3x-1]"),
    ("tpu", "use_tpu=true"),
]:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        weights = tf.get_variable("w", [5, 4], initializer=tf.constant_initializer(np.arange(20) % 7))
        masked = pruning.apply_mask(weights, "w")
        hparams = pruning.get_pruning_hparams().parse(settings)
        if name == "max":
            hparams.block_pooling_function = "MAX"
        if name == "tpu":
            hparams.block_height = 2
        tool = pruning.Pruning(hparams, global_step=tf.constant(100), sparsity=tf.constant(0.5))
        update = tool.mask_update_op()
        sess.run(tf.global_variables_initializer())
        sess.run(update)
        results["blocks_" + name] = sess.run([masked] + pruning.get_thresholds())
        results["block_ops_" + name] = [op.name for op in graph.get_operations() if "pruning_ops" in op.name][-20:]

with tf.Graph().as_default(), tf.Session() as sess:
    inputs = tf.constant(random.randn(2, 3, 4).astype(np.float32))
    outputs = []
    for cell in [
        pruning.MaskedBasicLSTMCell(3),
        pruning.MaskedBasicLSTMCell(3, state_is_tuple=False, name="other"),
        pruning.MaskedLSTMCell(3, use_peepholes=True, num_proj=3, cell_clip=0.5, proj_clip=0.3),
        pruning.MaskedLSTMCell(3, state_is_tuple=False, forget_bias=0.5),
    ]:
        with tf.variable_scope("rnn%d" % len(outputs), initializer=tf.constant_initializer(0.1)):
            outputs.append(tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32))
    sess.run(tf.global_variables_initializer())
    sess.run(
        [
            tf.assign(mask, tf.cast(tf.range(tf.size(mask)) % 3 > 0, tf.float32)[:1] * mask)
            for mask in pruning.get_masks()
        ]
    )
    results["cells"] = {
        "variables": [[v.op.name, str(v.shape)] for v in tf.global_variables()],
        "masked": [t.name for t in pruning.get_masked_weights()],
        "masks": names(pruning.get_masks()),
        "outputs": [[o] + (list(s) if isinstance(s, tuple) else [s]) for o, s in sess.run(outputs)],
    }

for name, settings in [
    ("begin", {"begin_pruning_step": -1}),
    ("end", {"begin_pruning_step": 5, "end_pruning_step": 2}),
    ("function", {"sparsity_function_begin_step": 100}),
    ("decay", {"threshold_decay": 1.0}),
    ("map", {"weight_sparsity_map": ["a:1.5"]}),
    ("dims", {"block_dims_map": ["a:2"]}),
]:
    hparams = pruning.get_pruning_hparams()
    for key, value in settings.items():
        hparams.set_hparam(key, value)
    try:
        with tf.Graph().as_default():
            pruning.Pruning(hparams, global_step=tf.constant(1))
    except ValueError as error:
        results["error_" + name] = type(error).__name__
for name, build in [
    ("rank", lambda: pruning.masked_conv2d(tf.zeros([2, 3, 4]), 3, 3)),
    ("layout", lambda: pruning.masked_conv2d(tf.zeros([2, 3, 4, 1]), 3, 3, data_format="NWC")),
    ("units", lambda: pruning.masked_fully_connected(tf.zeros([2, 3]), 2.0)),
    ("last", lambda: pruning.masked_fully_connected(tf.placeholder(tf.float32, [2, None]), 2)),
]:
    try:
        build()
    except ValueError as error:
        results["error_" + name] = str(error).split("\n")[0]
