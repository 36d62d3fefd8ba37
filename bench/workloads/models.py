"""A training step of the models people held in those years: each must not be slower than TensorFlow's."""

BARS = {
    "VGG": 1.0,
    "U-Net": 1.0,
    "DCGAN": 1.0,
    "variational autoencoder": 1.0,
    "graph convolutions": 1.0,
    "text CNN": 1.0,
    "policy gradient": 1.0,
    "Q network": 1.0,
    "wide and deep": None,
}


def workload(tf, np):
    random = np.random.RandomState(0)
    models = {
        "VGG": vgg,
        "U-Net": unet,
        "DCGAN": dcgan,
        "variational autoencoder": autoencoder,
        "graph convolutions": graph_convolutions,
        "text CNN": text_cnn,
        "policy gradient": policy_gradient,
        "Q network": q_network,
        "wide and deep": wide_and_deep,
    }
    return {name: _Steps(tf, np, random, model) for name, model in models.items()}


class _Steps:
    """A model in its own graph, built when the first step is asked for."""

    def __init__(self, tf, np, random, model):
        self._made = lambda: model(tf, np, random)
        self._tf = tf
        self._step = None

    def __call__(self):
        if self._step is None:
            graph = self._tf.Graph()
            with graph.as_default():
                self._tf.set_random_seed(1)
                fetches, feed = self._made()
                session = self._tf.Session(graph=graph)
                initializers = [
                    self._tf.global_variables_initializer(),
                    self._tf.local_variables_initializer(),
                    self._tf.tables_initializer(),
                ]
                session.run(initializers)
            self._step = lambda: session.run(fetches, feed)
        return self._step()


def vgg(tf, np, random):
    """Thirteen convolutions, as for CIFAR-10, with slim."""
    slim = tf.contrib.slim if hasattr(tf, "contrib") else None
    images, labels = tf.placeholder(tf.float32, [16, 32, 32, 3]), tf.placeholder(tf.int32, [16])
    net = images
    for count, channels in ((2, 32), (2, 64), (3, 128), (3, 128), (3, 128)):
        for _ in range(count):
            if slim:
                net = slim.conv2d(net, channels, 3)
            else:
                net = tf.layers.conv2d(net, channels, 3, padding="same", activation=tf.nn.relu)
        net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.nn.dropout(tf.layers.dense(tf.layers.flatten(net), 256, tf.nn.relu), keep_prob=0.5)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(net, 10))
    train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    return [train, loss], {images: random.rand(16, 32, 32, 3), labels: random.randint(0, 10, 16)}


def unet(tf, np, random):
    """Three halvings and back, with the halves joined, for masks of 64 x 64."""
    images, masks = tf.placeholder(tf.float32, [None, 64, 64, 1]), tf.placeholder(tf.float32, [None, 64, 64, 1])

    def twice(net, channels):
        for _ in range(2):
            net = tf.layers.conv2d(net, channels, 3, padding="same", activation=tf.nn.relu)
        return net

    net, skipped = images, []
    for channels in (16, 32, 64):
        net = twice(net, channels)
        skipped.append(net)
        net = tf.layers.max_pooling2d(net, 2, 2)
    net = twice(net, 128)
    for channels, skip in zip((64, 32, 16), skipped[::-1]):
        net = tf.layers.conv2d_transpose(net, channels, 2, strides=2)
        net = twice(tf.concat([skip, net], 3), channels)
    logits = tf.layers.conv2d(net, 1, 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=masks, logits=logits))
    found = tf.sigmoid(logits)
    dice = 2 * tf.reduce_sum(found * masks) / (tf.reduce_sum(found) + tf.reduce_sum(masks))
    train = tf.train.AdamOptimizer(1e-3).minimize(loss - tf.log(dice))
    given = random.rand(4, 64, 64, 1)
    return [train, loss, dice], {images: given, masks: given > 0.5}


def dcgan(tf, np, random):
    """Both players of images of 28 x 28."""
    images, noise = tf.placeholder(tf.float32, [32, 28, 28, 1]), tf.placeholder(tf.float32, [32, 64])

    def generator(net):
        with tf.variable_scope("generator"):
            net = tf.layers.dense(net, 7 * 7 * 64)
            net = tf.reshape(net, [-1, 7, 7, 64])
            net = tf.nn.relu(tf.layers.batch_normalization(net, training=True))
            net = tf.layers.conv2d_transpose(net, 32, 5, 2, padding="same")
            net = tf.nn.relu(tf.layers.batch_normalization(net, training=True))
            return tf.tanh(tf.layers.conv2d_transpose(net, 1, 5, 2, padding="same"))

    def discriminator(net, reuse=False):
        with tf.variable_scope("discriminator", reuse=reuse):
            net = tf.nn.leaky_relu(tf.layers.conv2d(net, 32, 5, 2, padding="same"))
            net = tf.layers.conv2d(net, 64, 5, 2, padding="same")
            net = tf.nn.leaky_relu(tf.layers.batch_normalization(net, training=True))
            return tf.layers.dense(tf.layers.flatten(net), 1)

    fake = generator(noise)
    of_real, of_fake = discriminator(images), discriminator(fake, reuse=True)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits
    loss_d = tf.reduce_mean(entropy(labels=tf.ones_like(of_real), logits=of_real)) + tf.reduce_mean(
        entropy(labels=tf.zeros_like(of_fake), logits=of_fake)
    )
    loss_g = tf.reduce_mean(entropy(labels=tf.ones_like(of_fake), logits=of_fake))
    train = []
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        for scope, loss in (("discriminator", loss_d), ("generator", loss_g)):
            variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
            train.append(tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(loss, var_list=variables))
    return [*train, loss_d, loss_g], {images: random.rand(32, 28, 28, 1) * 2 - 1, noise: random.randn(32, 64)}


def autoencoder(tf, np, random):
    images = tf.placeholder(tf.float32, [None, 784])
    net = tf.layers.dense(images, 256, tf.nn.softplus)
    net = tf.layers.dense(net, 256, tf.nn.softplus)
    mean, log_variance = tf.layers.dense(net, 20), tf.layers.dense(net, 20)
    z = mean + tf.sqrt(tf.exp(log_variance)) * tf.random_normal(tf.shape(mean))
    net = tf.layers.dense(tf.layers.dense(z, 256, tf.nn.softplus), 256, tf.nn.softplus)
    found = tf.layers.dense(net, 784, tf.sigmoid)
    fit = -tf.reduce_sum(images * tf.log(1e-10 + found) + (1 - images) * tf.log(1e-10 + 1 - found), 1)
    latent = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
    cost = tf.reduce_mean(fit + latent)
    return [tf.train.AdamOptimizer(1e-3).minimize(cost), cost], {images: random.rand(100, 784)}


def graph_convolutions(tf, np, random):
    """Two layers over a citation graph of 2,708 papers with sparse features and dropout."""
    nodes, width, classes = 2708, 1433, 7
    adjacency = np.unique(random.randint(0, nodes, (13264, 2)), axis=0)
    features = np.unique(np.stack([random.randint(0, nodes, 49216), random.randint(0, width, 49216)], 1), axis=0)
    support, given = tf.sparse_placeholder(tf.float32), tf.sparse_placeholder(tf.float32, [nodes, width])
    labels, mask = tf.placeholder(tf.float32, [nodes, classes]), tf.placeholder(tf.float32, [nodes])
    kept = tf.floor(0.5 + tf.random_uniform([len(features)]))
    dropped = tf.sparse_retain(given, tf.cast(kept, tf.bool)) * 2.0
    first = tf.get_variable("first", [width, 16])
    second = tf.get_variable("second", [16, classes])
    hidden = tf.nn.relu(tf.sparse_tensor_dense_matmul(support, tf.sparse_tensor_dense_matmul(dropped, first)))
    logits = tf.sparse_tensor_dense_matmul(support, tf.matmul(tf.nn.dropout(hidden, keep_prob=0.5), second))
    loss = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=labels)
    loss = tf.reduce_mean(loss * mask / tf.reduce_mean(mask)) + 5e-4 * tf.nn.l2_loss(first)
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    feed = {
        support: (adjacency, random.rand(len(adjacency)), [nodes, nodes]),
        given: (features, np.ones(len(features)), [nodes, width]),
        labels: np.eye(classes)[random.randint(0, classes, nodes)],
        mask: (np.arange(nodes) < 140).astype(float),
    }
    return [train, loss], feed


def text_cnn(tf, np, random):
    """Windows of three, four and five words, as in Kim (2014)."""
    words, labels = tf.placeholder(tf.int32, [None, 56]), tf.placeholder(tf.float32, [None, 2])
    table = tf.Variable(tf.random_uniform([18758, 128], -1.0, 1.0))
    embedded = tf.expand_dims(tf.nn.embedding_lookup(table, words), -1)
    pooled = []
    for size in (3, 4, 5):
        weights = tf.Variable(tf.truncated_normal([size, 128, 1, 128], stddev=0.1))
        bias = tf.Variable(tf.constant(0.1, shape=[128]))
        found = tf.nn.conv2d(embedded, weights, strides=[1, 1, 1, 1], padding="VALID")
        active = tf.nn.relu(tf.nn.bias_add(found, bias))
        pooled.append(tf.nn.max_pool(active, [1, 56 - size + 1, 1, 1], [1, 1, 1, 1], "VALID"))
    net = tf.nn.dropout(tf.reshape(tf.concat(pooled, 3), [-1, 384]), keep_prob=0.5)
    logits = tf.layers.dense(net, 2)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=labels))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), "float"))
    train = tf.train.AdamOptimizer(1e-3).minimize(loss)
    feed = {words: random.randint(0, 18758, (64, 56)), labels: np.eye(2)[random.randint(0, 2, 64)]}
    return [train, loss, accuracy], feed


def policy_gradient(tf, np, random):
    """REINFORCE on a small state, a batch of one episode."""
    states, actions = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None])
    values = tf.placeholder(tf.float32, [None])
    net = tf.layers.dense(states, 10, tf.nn.tanh, kernel_initializer=tf.random_normal_initializer(0, 0.3))
    logits = tf.layers.dense(net, 2, kernel_initializer=tf.random_normal_initializer(0, 0.3))
    cost = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=actions)
    loss = tf.reduce_mean(cost * values)
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    feed = {states: random.randn(200, 4), actions: random.randint(0, 2, 200), values: random.randn(200)}
    return [train, loss], feed


def q_network(tf, np, random):
    """A convolutional Q network with a target network, of four frames of 84 x 84, clipped by the norm."""

    def network(frames, name):
        with tf.variable_scope(name):
            net = tf.layers.conv2d(frames, 32, 8, 4, activation=tf.nn.relu)
            net = tf.layers.conv2d(net, 64, 4, 2, activation=tf.nn.relu)
            net = tf.layers.conv2d(net, 64, 3, 1, activation=tf.nn.relu)
            net = tf.layers.dense(tf.layers.flatten(net), 512, tf.nn.relu)
            return tf.layers.dense(net, 6)

    now, later = (tf.placeholder(tf.float32, [None, 84, 84, 4]) for _ in range(2))
    actions, rewards = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
    best = tf.reduce_max(network(later, "target"), 1)
    target = tf.stop_gradient(rewards + 0.99 * best)
    chosen = tf.reduce_sum(network(now, "online") * tf.one_hot(actions, 6), 1)
    loss = tf.losses.huber_loss(target, chosen)
    optimizer = tf.train.RMSPropOptimizer(2.5e-4, momentum=0.95, epsilon=0.01)
    variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "online")
    gradients = tf.gradients(loss, variables)
    clipped, _ = tf.clip_by_global_norm(gradients, 10.0)
    train = optimizer.apply_gradients(list(zip(clipped, variables)))
    frames = random.rand(2, 32, 84, 84, 4)
    feed = {now: frames[0], later: frames[1], actions: random.randint(0, 6, 32), rewards: random.randn(32)}
    return [train, loss], feed


def wide_and_deep(tf, np, random):
    """Crossed and embedded columns beside numbers, by the ops below the columns."""
    numbers = tf.placeholder(tf.float32, [None, 5])
    words = tf.placeholder(tf.string, [None, 3])
    labels = tf.placeholder(tf.float32, [None, 1])
    hashed = tf.string_to_hash_bucket_fast(words, 1000)
    crossed = tf.string_to_hash_bucket_fast(tf.reduce_join(words, 1, separator="_X_"), 10000)
    wide = tf.get_variable("wide", [10000, 1], initializer=tf.zeros_initializer())
    deep = tf.get_variable("deep", [1000, 8])
    embedded = tf.reshape(tf.nn.embedding_lookup(deep, hashed), [-1, 24])
    net = tf.concat([numbers, embedded], 1)
    for units in (100, 50):
        net = tf.layers.dense(net, units, tf.nn.relu)
    logits = tf.layers.dense(net, 1) + tf.nn.embedding_lookup(wide, crossed)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    deep_variables = [v for v in tf.trainable_variables() if v is not wide]
    train = tf.group(
        tf.train.AdagradOptimizer(0.05).minimize(loss, var_list=deep_variables),
        tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01).minimize(loss, var_list=[wide]),
    )
    names = np.array([[b"word%d" % i for i in row] for row in random.randint(0, 300, (100, 3))], object)
    feed = {numbers: random.randn(100, 5), words: names, labels: random.randint(0, 2, (100, 1))}
    return [train, loss], feed
