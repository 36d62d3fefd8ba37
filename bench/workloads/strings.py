"""100,000 words: hashed into buckets, looked up in a vocabulary, split, joined, read as numbers."""

BARS = {
    "hash, fast": 1.0,
    "hash, strong": 1.0,
    "hash, old": 1.0,
    "vocabulary, all known": 1.0,
    "vocabulary, buckets for others": 1.0,
    "words of numbers": 1.0,
    "split lines": 1.0,
    "to numbers": 1.0,
}


def workload(tf, np):
    random = np.random.RandomState(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = random.randint(2, 14, 20000)
    vocabulary = sorted({"".join(random.choice(letters, n)) for n in lengths})
    count = 100000

    def boxed(items):
        array = np.empty(len(items), object)
        array[:] = items
        return array

    known = boxed([vocabulary[i].encode() for i in random.randint(0, len(vocabulary), count)])
    mixed = boxed([word + b"x" if i % 3 == 0 else word for i, word in enumerate(known.tolist())])
    lines = boxed([b" ".join(known[i : i + 10].tolist()) for i in range(0, count, 10)])
    texts = boxed([b"%.4f" % value for value in random.randn(count)])
    given = tf.placeholder(tf.string, [None])
    table = tf.contrib.lookup.index_table_from_tensor(vocabulary)
    bucketed = tf.contrib.lookup.index_table_from_tensor(vocabulary, num_oov_buckets=100)
    back = tf.contrib.lookup.index_to_string_table_from_tensor(vocabulary)
    numbers = tf.placeholder(tf.int64, [None])
    ids = random.randint(0, len(vocabulary), count)
    sess = tf.Session()
    sess.run(tf.tables_initializer())

    def step(tensor, feed, value):
        return lambda: sess.run(tensor.op, {feed: value})

    return {
        "hash, fast": step(tf.string_to_hash_bucket_fast(given, 1000), given, known),
        "hash, strong": step(tf.string_to_hash_bucket_strong(given, 1000, [1, 2]), given, known),
        "hash, old": step(tf.string_to_hash_bucket(given, 1000), given, known),
        "vocabulary, all known": step(table.lookup(given), given, known),
        "vocabulary, buckets for others": step(bucketed.lookup(given), given, mixed),
        "words of numbers": step(back.lookup(numbers), numbers, ids),
        "split lines": step(tf.string_split(given).values, given, lines),
        "to numbers": step(tf.string_to_number(given), given, texts),
    }
