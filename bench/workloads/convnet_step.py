"""A training step of the MNIST tutorials' convolutional network: two 5x5 convolutions with pooling, 512 hidden units,
dropout, momentum with a decaying rate, on batches of 64."""

BARS = {"step": 1.0}


def workload(tf, np):
    batch = 64
    state = np.random.RandomState(0)
    data = state.uniform(-0.5, 0.5, size=[batch, 28, 28, 1]).astype(np.float32)
    target = state.randint(10, size=[batch]).astype(np.int64)

    images = tf.placeholder(tf.float32, [batch, 28, 28, 1])
    labels = tf.placeholder(tf.int64, [batch])

    def weight(shape):
        return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=66478))

    conv1_w, conv1_b = weight([5, 5, 1, 32]), tf.Variable(tf.zeros([32]))
    conv2_w, conv2_b = weight([5, 5, 32, 64]), tf.Variable(tf.constant(0.1, shape=[64]))
    fc1_w, fc1_b = weight([7 * 7 * 64, 512]), tf.Variable(tf.constant(0.1, shape=[512]))
    fc2_w, fc2_b = weight([512, 10]), tf.Variable(tf.constant(0.1, shape=[10]))

    h = images
    for w, b in ((conv1_w, conv1_b), (conv2_w, conv2_b)):
        h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, w, strides=[1, 1, 1, 1], padding="SAME"), b))
        h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = tf.reshape(h, [batch, 7 * 7 * 64])
    h = tf.nn.dropout(tf.nn.relu(tf.matmul(h, fc1_w) + fc1_b), 0.5, seed=66478)
    logits = tf.matmul(h, fc2_w) + fc2_b

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    loss += 5e-4 * sum(tf.nn.l2_loss(v) for v in (fc1_w, fc1_b, fc2_w, fc2_b))
    seen = tf.Variable(0, dtype=tf.float32, trainable=False)
    rate = tf.train.exponential_decay(0.01, seen * batch, 55000, 0.95, staircase=True)
    train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=seen)

    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    return {"step": lambda: sess.run([train, loss, rate], {images: data, labels: target})}
