"""A training step of the ResNet-20 for CIFAR (https://arxiv.org/abs/1512.03385) in tf.layers, on batches of 32: batch
normalization with its UPDATE_OPS, weight decay, momentum."""

BARS = {"step": 1.0}


def workload(tf, np):
    batch = 32
    state = np.random.RandomState(0)
    data = state.uniform(-1.0, 1.0, size=[batch, 32, 32, 3]).astype(np.float32)
    target = state.randint(10, size=[batch]).astype(np.int64)

    images = tf.placeholder(tf.float32, [batch, 32, 32, 3])
    labels = tf.placeholder(tf.int64, [batch])

    def conv(x, filters, strides):
        return tf.layers.conv2d(
            x,
            filters,
            3,
            strides=strides,
            padding="same",
            use_bias=False,
            kernel_initializer=tf.variance_scaling_initializer(2.0, seed=1),
        )

    def norm(x):
        return tf.layers.batch_normalization(x, momentum=0.9, training=True)

    net = tf.nn.relu(norm(conv(images, 16, 1)))
    for stage, filters in enumerate((16, 32, 64)):
        for unit in range(3):
            strides = 2 if stage > 0 and unit == 0 else 1
            shortcut = net
            if strides == 2:
                shortcut = tf.layers.average_pooling2d(net, 1, 2)
                extra = filters - int(net.shape[-1])
                shortcut = tf.pad(shortcut, [[0, 0], [0, 0], [0, 0], [extra // 2, extra - extra // 2]])
            inner = tf.nn.relu(norm(conv(net, filters, strides)))
            net = tf.nn.relu(norm(conv(inner, filters, 1)) + shortcut)
    logits = tf.layers.dense(tf.reduce_mean(net, [1, 2]), 10)

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    loss += 1e-4 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name])
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)

    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    return {"step": lambda: sess.run([train, loss], {images: data, labels: target})}
