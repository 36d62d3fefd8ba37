"""Building a graph: a 100-layer perceptron and its gradients."""

BARS = {"100-layer MLP with gradients": 1.0}


def workload(tf, np):
    def build():
        with tf.Graph().as_default():
            h = tf.placeholder(tf.float32, [None, 32])
            for i in range(100):
                with tf.variable_scope("layer%d" % i):
                    w = tf.get_variable("w", [32, 32])
                    b = tf.get_variable("b", [32], initializer=tf.zeros_initializer())
                    h = tf.nn.relu(tf.matmul(h, w) + b)
            loss = tf.reduce_mean(tf.square(h))
            return tf.gradients(loss, tf.trainable_variables())

    return {"100-layer MLP with gradients": build}
