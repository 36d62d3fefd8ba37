"""Parsing 20,000 Example messages of an image, a label, ten weights and a name: a batch or one at a time."""

BARS = {
    "batches of 128": 1.0,
    "all 20,000": 1.0,
    "sequences of numbers, batches of 128": 1.0,
    "one of 20,000": 1.0,
}


def workload(tf, np):
    random = np.random.RandomState(0)

    def record(i, words=0):
        example = tf.train.Example()
        feature = example.features.feature
        feature["label"].int64_list.value.append(i % 10)
        feature["image_raw"].bytes_list.value.append(random.bytes(784))
        feature["weights"].float_list.value.extend(random.rand(10))
        feature["name"].bytes_list.value.append(b"record %d" % i)
        if words:
            feature["words"].int64_list.value.extend(random.randint(0, 30000, random.randint(1, words)))
        return example.SerializeToString()

    def boxed(items):
        array = np.empty(len(items), object)
        array[:] = items
        return array

    records = boxed([record(i) for i in range(20000)])
    texts = boxed([record(i, 100) for i in range(5000)])
    features = {
        "label": tf.FixedLenFeature([], tf.int64),
        "image_raw": tf.FixedLenFeature([], tf.string),
        "weights": tf.FixedLenFeature([10], tf.float32),
        "name": tf.FixedLenFeature([], tf.string),
    }
    many, one = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])
    # The operation is fetched, not what it gives: the copies of fetching are none of its work.
    batch = tf.parse_example(many, features)["label"].op
    lists = tf.parse_example(many, {"words": tf.VarLenFeature(tf.int64), "label": features["label"]})["label"].op
    single = tf.parse_single_example(one, features)["label"].op
    sess = tf.Session()

    def in_batches(op, records):
        for start in range(0, len(records), 128):
            sess.run(op, {many: records[start : start + 128]})

    return {
        "batches of 128": lambda: in_batches(batch, records),
        "all 20,000": lambda: sess.run(batch, {many: records}),
        "sequences of numbers, batches of 128": lambda: in_batches(lists, texts),
        "one of 20,000": lambda: sess.run(single, {one: records[0]}),
    }
