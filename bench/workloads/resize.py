"""Bilinear and bicubic resizing of 32 images of three channels, to larger and to smaller."""

BARS = {"bilinear up": 1.0, "bicubic up": 1.0, "bilinear down": 1.0, "bicubic down": 1.0}


def workload(tf, np):
    random = np.random.RandomState(1)
    sess = tf.Session()
    steps = {}
    for direction, before, after in (("up", 128, 224), ("down", 256, 160)):
        images = tf.Variable(random.uniform(size=[32, before, before, 3]).astype(np.float32))
        sess.run(images.initializer)
        for method in ("bilinear", "bicubic"):
            resized = getattr(tf.image, "resize_" + method)(images, [after, after])
            steps[method + " " + direction] = _step(sess, resized)
    return steps


def _step(sess, fetch):
    return lambda: sess.run(fetch)
