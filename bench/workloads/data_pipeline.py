"""Input pipelines drained epoch by epoch: 60,000 28x28 images sliced, shuffled, mapped, batched and prefetched; and 10,000
elements from a Python generator."""

BARS = {"images": 1.0, "generator": 1.0}


def workload(tf, np):
    state = np.random.RandomState(0)
    images = state.randint(256, size=[60000, 28, 28]).astype(np.uint8)
    labels = state.randint(10, size=[60000]).astype(np.int64)
    placeholder = tf.placeholder(tf.uint8, [60000, 28, 28])

    def scaled(image, label):
        return tf.cast(image, tf.float32) / 255.0 - 0.5, label

    dataset = tf.data.Dataset.from_tensor_slices((placeholder, labels))
    dataset = dataset.shuffle(10000, seed=1).map(scaled).batch(100).prefetch(1)
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()[0]

    def numbers():
        row = np.zeros([16], np.float32)
        for i in range(10000):
            yield row, i

    generated = tf.data.Dataset.from_generator(numbers, (tf.float32, tf.int64), ([16], [])).batch(100)
    generated_iterator = generated.make_initializable_iterator()
    generated_value = generated_iterator.get_next()[0]
    sess = tf.Session()

    def drain(initializer, fetch, feed=None):
        sess.run(initializer, feed)
        while True:
            try:
                sess.run(fetch)
            except tf.errors.OutOfRangeError:
                return

    return {
        "images": lambda: drain(iterator.initializer, value.op, {placeholder: images}),
        "generator": lambda: drain(generated_iterator.initializer, generated_value.op),
    }
