"""A SavedModel of the size of ResNet-50 (25 million parameters, 53 convolutions): loaded, and run once."""

import os
import tempfile

BARS = {"load and infer once": 1.0}


def workload(tf, np):
    folder = os.path.join(tempfile.mkdtemp(), "model")

    def convolved(x, filters, size, stride, name, relu=True):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [size, size, int(x.shape[3]), filters])
            x = tf.nn.conv2d(x, w, [1, stride, stride, 1], "SAME")
            vectors = [
                tf.get_variable(n, [filters], initializer=tf.ones_initializer())
                for n in ("scale", "offset", "mean", "variance")
            ]
            x = tf.nn.fused_batch_norm(x, vectors[0], vectors[1], vectors[2], vectors[3], is_training=False)[0]
            return tf.nn.relu(x) if relu else x

    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [None, 64, 64, 3], name="images")
        x = tf.nn.max_pool(convolved(images, 64, 7, 2, "first"), [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
        for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
            for block in range(blocks):
                with tf.variable_scope("stage%d_block%d" % (stage, block)):
                    stride = 2 if block == 0 and stage else 1
                    shortcut = convolved(x, 4 * width, 1, stride, "shortcut", False) if block == 0 else x
                    inner = convolved(convolved(x, width, 1, 1, "a"), width, 3, stride, "b")
                    x = tf.nn.relu(convolved(inner, 4 * width, 1, 1, "c", False) + shortcut)
        logits = tf.matmul(tf.reduce_mean(x, [1, 2]), tf.get_variable("logits", [2048, 1000]))
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, folder, {"images": images}, {"logits": logits})
        name = logits.name
    batch = np.random.RandomState(0).rand(1, 64, 64, 3).astype(np.float32)

    def load_and_infer():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], folder)
            session.run(name, {"images:0": batch})

    return {"load and infer once": load_and_infer}
