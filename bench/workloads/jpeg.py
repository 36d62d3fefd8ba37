"""Pictures on their way into a model: 32 JPEG files of 400x300 decoded and resized to 224x224 by a parallel map, in one batch."""

BARS = {"decode_and_resize": 1.0, "decode": 1.0}

COUNT = 32


def workload(tf, np):
    state = np.random.RandomState(0)
    y, x = np.mgrid[:300, :400] / 100.0
    waves = [np.sin(x * (i % 5 + 1) + y * (i % 3 + 1) + i)[..., None] * [60, 50, 40] + 128 for i in range(COUNT)]
    pictures = [np.clip(wave + state.normal(0, 8, wave.shape), 0, 255).astype(np.uint8) for wave in waves]
    sess = tf.Session()
    picture = tf.placeholder(tf.uint8, [300, 400, 3])
    encoded = tf.image.encode_jpeg(picture, quality=90)
    files = np.array([sess.run(encoded, {picture: one}) for one in pictures], object)

    def resized(contents):
        pixels = tf.image.decode_jpeg(contents, channels=3)
        return tf.image.resize_images(pixels, [224, 224]) / 255.0

    def drain(function):
        dataset = tf.data.Dataset.from_tensor_slices(files).map(function, num_parallel_calls=2).batch(COUNT)
        iterator = dataset.make_initializable_iterator()
        value = iterator.get_next()

        def step():
            sess.run(iterator.initializer)
            sess.run(value.op)

        return step

    return {
        "decode_and_resize": drain(resized),
        "decode": drain(lambda contents: tf.image.decode_jpeg(contents, channels=3)),
    }
