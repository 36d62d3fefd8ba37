"""What detectors do with boxes: those that overlap better ones are left out, of few and of many, and the loss of SSD."""

BARS = {"16 images of 20 boxes": 1.5, "2,000 boxes": 0.5, "SSD loss": 0.8}

BATCH, PRIORS, CLASSES = 8, 400, 21


def workload(tf, np):
    rng = np.random.RandomState(0)
    sess = tf.Session()

    def drawn(*shape):
        corners = rng.rand(*shape + (2, 2))
        return np.concatenate([corners.min(-2), corners.max(-2)], -1).astype(np.float32)

    boxes = tf.placeholder(tf.float32, [16, 20, 4])
    scores = tf.placeholder(tf.float32, [16, 20])

    def best(pair):
        chosen = tf.image.non_max_suppression(pair[0], pair[1], 5)
        return tf.gather(pair[0], chosen[:1])

    few = tf.map_fn(best, (boxes, scores), dtype=tf.float32)
    fed = {boxes: drawn(16, 20), scores: rng.rand(16, 20)}

    many_boxes = tf.placeholder(tf.float32, [2000, 4])
    many_scores = tf.placeholder(tf.float32, [2000])
    many = tf.image.non_max_suppression(many_boxes, many_scores, 100, 0.5)
    fed_many = {many_boxes: drawn(2000), many_scores: rng.rand(2000)}

    logits = tf.placeholder(tf.float32, [BATCH, PRIORS, CLASSES])
    labels = tf.placeholder(tf.int64, [BATCH, PRIORS])
    places = tf.placeholder(tf.float32, [BATCH, PRIORS, 4])
    truth = tf.placeholder(tf.float32, [BATCH, PRIORS, 4])
    bias = tf.get_variable("bias", [CLASSES], initializer=tf.zeros_initializer())
    is_object = labels > 0
    objects = tf.cast(is_object, tf.float32)
    count = tf.reduce_sum(objects)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits + bias)
    background = tf.reshape(tf.where(is_object, tf.zeros_like(losses), losses), [-1])
    hardest, _ = tf.nn.top_k(background, tf.cast(tf.minimum(3 * count, BATCH * PRIORS), tf.int32))
    distance = places - truth
    size = tf.abs(distance)
    smooth = tf.where(size < 1, 0.5 * distance * distance, size - 0.5)
    total = tf.reduce_sum(losses * objects) + tf.reduce_sum(hardest) + tf.reduce_sum(smooth * objects[..., None])
    loss = total / count
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    sess.run(tf.global_variables_initializer())
    found = np.where(rng.rand(BATCH, PRIORS) < 0.05, rng.randint(1, CLASSES, (BATCH, PRIORS)), 0)
    fed_loss = {
        logits: rng.randn(BATCH, PRIORS, CLASSES),
        labels: found,
        places: rng.randn(BATCH, PRIORS, 4),
        truth: rng.randn(BATCH, PRIORS, 4),
    }
    return {
        "16 images of 20 boxes": lambda: sess.run(few, fed),
        "2,000 boxes": lambda: sess.run(many, fed_many),
        "SSD loss": lambda: sess.run([step, loss], fed_loss),
    }
