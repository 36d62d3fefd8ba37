"""Steps of many small operations: small recurrent networks, columns, metrics, meta-learning, the loss of a detector.

What they cost is the way from one operation to the next. HEADRACE_NATIVE=0 measures them without native regions.
"""

BARS = {
    "PTB, 16 units": 0.2,
    "PTB, 50 units": 0.5,
    "30 columns": 0.3,
    "mean_iou": 0.3,
    "MAML": 0.5,
    "YOLO loss": 0.5,
    "dense GCN": 0.5,
    "dense Q network": 0.3,
    "300 ops on 64 floats": 0.1,
    "100-layer MLP": 0.5,
    "curve fit": 0.2,
}


def workload(tf, np):
    models = {
        "PTB, 16 units": lambda tf, np, random: ptb(tf, np, random, 16, 8, 50),
        "PTB, 50 units": lambda tf, np, random: ptb(tf, np, random, 50, 32, 1000),
        "30 columns": columns,
        "mean_iou": mean_iou,
        "MAML": maml,
        "YOLO loss": yolo,
        "dense GCN": gcn,
        "dense Q network": q_network,
        "300 ops on 64 floats": chain,
        "100-layer MLP": deep_mlp,
        "curve fit": curve_fit,
    }
    return {name: _Steps(tf, np, model) for name, model in models.items()}


class _Steps:
    """A model in its own graph, built when the first step is asked for."""

    def __init__(self, tf, np, model):
        self._parts = tf, np, model
        self._step = None

    def __call__(self):
        if self._step is None:
            tf, np, model = self._parts
            graph = tf.Graph()
            with graph.as_default():
                tf.set_random_seed(1)
                fetches, feed = model(tf, np, np.random.RandomState(0))
                session = tf.Session(graph=graph)
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            self._step = lambda: session.run(fetches, feed)
        return self._step()


def ptb(tf, np, random, units, batch, words):
    """The language model of Zaremba et al. (2014), unrolled over 20 words, with clipped gradients."""
    steps = 20
    inputs, targets = tf.placeholder(tf.int32, [batch, steps]), tf.placeholder(tf.int32, [batch, steps])
    embedded = tf.nn.embedding_lookup(tf.get_variable("embedding", [words, units]), inputs)
    kernel = tf.get_variable("kernel", [2 * units, 4 * units])
    bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
    c, h = tf.zeros([batch, units]), tf.zeros([batch, units])
    outputs = []
    for x in tf.unstack(embedded, steps, 1):
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias), 4, axis=1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        outputs.append(h)
    output = tf.reshape(tf.concat(outputs, 1), [-1, units])
    logits = tf.matmul(output, tf.get_variable("softmax_w", [units, words])) + tf.get_variable("softmax_b", [words])
    cost = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits)
    cost = tf.reduce_sum(cost) / batch
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(cost, variables), 5.0)
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients(list(zip(gradients, variables)))
    text = random.randint(0, words, (batch, steps + 1))
    return [train, cost], {inputs: text[:, :-1], targets: text[:, 1:]}


def columns(tf, np, random):
    """Thirty columns, numeric, embedded and one-hot, each fed on its own; a prediction."""
    batch, feeds, parts, wide = 32, {}, [], []
    for _ in range(10):
        x = tf.placeholder(tf.float32, [None, 1])
        feeds[x] = random.rand(batch, 1).astype(np.float32)
        parts.append((x - 0.5) / 2.0)
    for n in range(10):
        x = tf.placeholder(tf.int64, [None, 1])
        feeds[x] = random.randint(0, 100, (batch, 1))
        known = tf.clip_by_value(x, 0, 99)
        table = tf.get_variable("table%d" % n, [100, 4])
        parts.append(tf.reshape(tf.nn.embedding_lookup(table, known), [-1, 4]))
    for n in range(10):
        x = tf.placeholder(tf.int64, [None, 1])
        feeds[x] = random.randint(0, 20, (batch, 1))
        known = tf.where(tf.less(x, 20), x, tf.zeros_like(x))
        parts.append(tf.reduce_sum(tf.one_hot(known, 20), 1))
        weights = tf.get_variable("wide%d" % n, [20, 1])
        wide.append(tf.reshape(tf.gather(weights, tf.reshape(known, [-1])), [-1, 1]))
    net = tf.concat(parts, 1)
    for units in (64, 32):
        net = tf.layers.dense(net, units, tf.nn.relu)
    logits = tf.layers.dense(net, 1) + tf.add_n(wide)
    both = tf.concat([tf.zeros_like(logits), logits], 1)
    return [tf.nn.softmax(both), tf.argmax(both, 1), tf.sigmoid(logits)], feeds


def mean_iou(tf, np, random):
    """Streaming metrics of a segmentation: the mean overlap of 21 classes and the accuracy."""
    labels, predictions = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    updates = [
        tf.metrics.mean_iou(labels, predictions, 21)[1],
        tf.metrics.accuracy(labels, predictions)[1],
        tf.metrics.mean(tf.cast(tf.equal(labels, predictions), tf.float32))[1],
    ]
    return updates, {labels: random.randint(0, 21, 256), predictions: random.randint(0, 21, 256)}


def maml(tf, np, random):
    """Finn et al. (2017): sinusoids, four tasks, two inner steps, the gradient through them."""
    tasks, shots, units = 4, 10, 40
    inputs, labels = (tf.placeholder(tf.float32, [tasks, 2 * shots, 1]) for _ in range(2))
    weights = {}
    for i, (rows, cols) in enumerate([(1, units), (units, units), (units, 1)]):
        weights["w%d" % i] = tf.get_variable("w%d" % i, [rows, cols])
        weights["b%d" % i] = tf.get_variable("b%d" % i, [cols], initializer=tf.zeros_initializer())

    def forward(x, w):
        net = tf.nn.relu(tf.matmul(x, w["w0"]) + w["b0"])
        net = tf.nn.relu(tf.matmul(net, w["w1"]) + w["b1"])
        return tf.matmul(net, w["w2"]) + w["b2"]

    losses = []
    for task in range(tasks):
        x, y = inputs[task], labels[task]
        fast = weights
        for _ in range(2):
            loss = tf.reduce_mean(tf.square(forward(x[:shots], fast) - y[:shots]))
            gradients = tf.gradients(loss, [fast[name] for name in sorted(fast)])
            fast = {name: fast[name] - 0.01 * g for name, g in zip(sorted(fast), gradients)}
        losses.append(tf.reduce_mean(tf.square(forward(x[shots:], fast) - y[shots:])))
    total = tf.add_n(losses) / tasks
    train = tf.train.AdamOptimizer(1e-3).minimize(total)
    given = random.uniform(-5, 5, (tasks, 2 * shots, 1))
    return [train, total], {inputs: given, labels: np.sin(given)}


def yolo(tf, np, random):
    """The loss of Redmon and Farhadi (2016) on a grid of 7 x 7 with 3 anchors, and its gradient."""
    batch, grid, anchors, classes = 2, 7, 3, 10
    shape = [batch, grid, grid, anchors, 5 + classes]
    raw = tf.get_variable("raw", shape, initializer=tf.random_normal_initializer(stddev=0.5))
    truth = tf.placeholder(tf.float32, shape)
    cells = np.stack(np.meshgrid(np.arange(grid), np.arange(grid)), -1).reshape(1, grid, grid, 1, 2).astype(np.float32)
    priors = np.array([[1.0, 1.5], [2.0, 2.0], [3.0, 1.0]], np.float32).reshape(1, 1, 1, anchors, 2)
    centre = tf.sigmoid(raw[..., :2]) + cells
    size = tf.exp(raw[..., 2:4]) * priors
    found = tf.sigmoid(raw[..., 4:5])
    true_centre, true_size, present = truth[..., :2], truth[..., 2:4], truth[..., 4:5]
    low = tf.maximum(centre - size / 2.0, true_centre - true_size / 2.0)
    high = tf.minimum(centre + size / 2.0, true_centre + true_size / 2.0)
    overlap = tf.maximum(high - low, 0.0)
    overlap = overlap[..., 0] * overlap[..., 1]
    union = size[..., 0] * size[..., 1] + true_size[..., 0] * true_size[..., 1] - overlap
    iou = tf.expand_dims(overlap / (union + 1e-6), -1)
    best = tf.cast(tf.greater_equal(iou, tf.reduce_max(iou, 3, keepdims=True)), tf.float32) * present
    absent = (1.0 - best) * tf.cast(tf.less(iou, 0.6), tf.float32)
    weight = best * (2.0 - true_size[..., 0:1] * true_size[..., 1:2] / float(grid * grid))
    place = tf.reduce_sum(weight * tf.square(centre - true_centre))
    extent = tf.reduce_sum(weight * tf.square(tf.log(size + 1e-6) - tf.log(true_size + 1e-6)))
    sure = tf.reduce_sum(best * tf.square(found - tf.stop_gradient(iou)) + 0.5 * absent * tf.square(found))
    entropy = tf.nn.softmax_cross_entropy_with_logits_v2(labels=truth[..., 5:], logits=raw[..., 5:])
    kind = tf.reduce_sum(tf.expand_dims(entropy, -1) * best)
    loss = (place + extent + sure + kind) / batch
    train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss)
    given = random.rand(*shape).astype(np.float32) * 3
    given[..., 4] = given[..., 4] > 2
    given[..., 5:] = np.eye(classes)[random.randint(0, classes, shape[:-1])]
    return [train, loss, place, sure, kind], {truth: given}


def gcn(tf, np, random):
    """Kipf and Welling (2017), on a graph of 34 members with a dense adjacency."""
    nodes, classes = 34, 4
    support, labels = tf.placeholder(tf.float32, [nodes, nodes]), tf.placeholder(tf.int32, [nodes])
    mask = tf.placeholder(tf.float32, [nodes])
    hidden = tf.matmul(support, tf.get_variable("w0", [nodes, 16]))
    hidden = tf.nn.relu(hidden)
    hidden = tf.nn.relu(tf.matmul(support, tf.matmul(hidden, tf.get_variable("w1", [16, 16]))))
    logits = tf.matmul(support, tf.matmul(hidden, tf.get_variable("w2", [16, classes])))
    cost = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    weights = mask / tf.reduce_mean(mask)
    penalty = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    loss = tf.reduce_mean(cost * weights) + 5e-4 * penalty
    right = tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels), tf.float32)
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    feed = {
        support: random.rand(nodes, nodes) / nodes,
        labels: random.randint(0, classes, nodes),
        mask: (np.arange(nodes) < 8).astype(np.float32),
    }
    return [train, loss, tf.reduce_mean(right * weights)], feed


def q_network(tf, np, random):
    """A Q network of two dense layers with a target network, and the copy of its variables."""

    def network(state, name):
        with tf.variable_scope(name):
            net = tf.layers.dense(state, 24, tf.nn.relu)
            net = tf.layers.dense(net, 24, tf.nn.relu)
            return tf.layers.dense(net, 2)

    now, later = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 4])
    actions, rewards = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
    done = tf.placeholder(tf.float32, [None])
    target = tf.stop_gradient(rewards + 0.99 * (1.0 - done) * tf.reduce_max(network(later, "target"), 1))
    chosen = tf.reduce_sum(network(now, "online") * tf.one_hot(actions, 2), 1)
    loss = tf.losses.huber_loss(target, chosen)
    train = tf.train.AdamOptimizer(1e-3).minimize(loss)
    online, kept = (tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, name + "/dense") for name in ("online", "target"))
    with tf.control_dependencies([train]):
        follow = [tf.assign(old, 0.99 * old + 0.01 * new) for old, new in zip(kept, online)]
    feed = {
        now: random.randn(32, 4),
        later: random.randn(32, 4),
        actions: random.randint(0, 2, 32),
        rewards: random.randn(32),
        done: (random.rand(32) < 0.1).astype(np.float32),
    }
    return [tf.group(*follow), loss], feed


def chain(tf, np, random):
    """Element-wise operations, one after the other."""
    x = tf.placeholder(tf.float32, [64])
    h = x
    for _ in range(75):
        h = tf.tanh(h * 1.01 + 0.1) - 0.05
    return h, {x: np.linspace(-1, 1, 64).astype(np.float32)}


def deep_mlp(tf, np, random):
    """A hundred layers of 32 units, trained with momentum."""
    x, y = tf.placeholder(tf.float32, [None, 32]), tf.placeholder(tf.float32, [None, 1])
    net = x
    for n in range(100):
        weights = tf.get_variable("w%d" % n, [32, 32], initializer=tf.orthogonal_initializer())
        net = tf.nn.relu(tf.matmul(net, weights) + tf.get_variable("b%d" % n, [32], initializer=tf.zeros_initializer()))
    found = tf.matmul(net, tf.get_variable("out", [32, 1]))
    loss = tf.reduce_mean(tf.square(found - y))
    train = tf.train.MomentumOptimizer(1e-4, 0.9).minimize(loss)
    return [train, loss], {x: random.randn(16, 32).astype(np.float32), y: random.randn(16, 1).astype(np.float32)}


def curve_fit(tf, np, random):
    """Three coefficients of a parabola with Adam."""
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    w = tf.get_variable("w", shape=[3, 1])
    features = tf.stack([tf.square(x), x, tf.ones_like(x)], 1)
    fitted = tf.squeeze(tf.matmul(features, w), 1)
    loss = tf.nn.l2_loss(fitted - y) + 0.1 * tf.nn.l2_loss(w)
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    xs = random.uniform(-10.0, 10.0, size=100)
    return [train, loss], {x: xs, y: 5 * np.square(xs) + 3}
