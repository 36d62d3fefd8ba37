"""Inference of slim's inception v1, with its batch normalization, on one image and on eight."""

BARS = {"batch 1": 1.0, "batch 8": 1.0}


def workload(tf, np):
    import importlib

    slim = tf.contrib.slim
    inception = importlib.import_module(slim.__name__ + ".nets").inception

    images = tf.placeholder(tf.float32, [None, 224, 224, 3])
    with slim.arg_scope(inception.inception_v1_arg_scope()):
        _, end_points = inception.inception_v1(images, 1001, is_training=False)
    state = np.random.RandomState(0)
    one = state.uniform(-1.0, 1.0, size=[1, 224, 224, 3]).astype(np.float32)
    eight = state.uniform(-1.0, 1.0, size=[8, 224, 224, 3]).astype(np.float32)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    predictions = end_points["Predictions"]
    return {
        "batch 1": lambda: sess.run(predictions, {images: one}),
        "batch 8": lambda: sess.run(predictions, {images: eight}),
    }
