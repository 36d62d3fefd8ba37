"""Embeddings of sampled neighbourhoods, by sampling, pooling and negative examples, with batches of unknown rank."""

import numpy as np
import tensorflow as tf

np.random.seed(1)
tf.set_random_seed(1)
N, D, MAXDEG, NEG, B = (80, 16, 8, 5, 12)


class UniformNeighborSampler(object):
    def __init__(self, adj_info):
        self.adj_info = adj_info

    def __call__(self, inputs):
        ids, num_samples = inputs
        adj_lists = tf.nn.embedding_lookup(self.adj_info, ids)
        adj_lists = tf.transpose(tf.random_shuffle(tf.transpose(adj_lists)))
        return tf.slice(adj_lists, [0, 0], [-1, num_samples])


def glorot(shape, name=None):
    r = np.sqrt(6.0 / (shape[0] + shape[1]))
    return tf.Variable(tf.random_uniform(shape, minval=-r, maxval=r, dtype=tf.float32), name=name)


class MeanAggregator(object):
    def __init__(self, i, o, act=tf.nn.relu, name=""):
        self.act = act
        with tf.variable_scope("meanagg" + name + "_vars"):
            self.vars = {
                "neigh_weights": glorot([i, o], name="neigh_weights"),
                "self_weights": glorot([i, o], name="self_weights"),
            }

    def __call__(self, inputs):
        self_vecs, neigh_vecs = inputs
        neigh_vecs = tf.nn.dropout(neigh_vecs, 0.9)
        self_vecs = tf.nn.dropout(self_vecs, 0.9)
        neigh_means = tf.reduce_mean(neigh_vecs, axis=1)
        output = tf.concat(
            [tf.matmul(self_vecs, self.vars["self_weights"]), tf.matmul(neigh_means, self.vars["neigh_weights"])],
            axis=1,
        )
        return self.act(output)


class MaxPoolingAggregator(MeanAggregator):
    def __call__(self, inputs):
        self_vecs, neigh_vecs = inputs
        dims = tf.shape(neigh_vecs)
        h = tf.reshape(neigh_vecs, (dims[0] * dims[1], int(neigh_vecs.get_shape()[-1])))
        h = tf.nn.relu(tf.layers.dense(h, int(neigh_vecs.get_shape()[-1]), name="pool"))
        h = tf.reshape(h, (dims[0], dims[1], int(neigh_vecs.get_shape()[-1])))
        h = tf.reduce_max(h, axis=1)
        return self.act(
            tf.concat(
                [tf.matmul(self_vecs, self.vars["self_weights"]), tf.matmul(h, self.vars["neigh_weights"])], axis=1
            )
        )


adj_np = np.random.randint(0, N, (N + 1, MAXDEG))
feats = np.vstack([np.random.randn(N, D), np.zeros((1, D))])
adj_info_ph = tf.placeholder(tf.int32, shape=adj_np.shape)
adj_info = tf.Variable(adj_info_ph, trainable=False, name="adj_info")
features = tf.Variable(tf.constant(feats, dtype=tf.float32), trainable=False)
batch1 = tf.placeholder(tf.int32, shape=None, name="batch1")
batch2 = tf.placeholder(tf.int32, shape=None, name="batch2")
batch_size = tf.placeholder(tf.int32, name="batch_size")
sampler = UniformNeighborSampler(adj_info)
dims, num_samples = ([D, 16, 8], [4, 3])
aggs = [MaxPoolingAggregator(D, 16, name="0"), MeanAggregator(32, 8, act=lambda x: x, name="1")]


def embed(inputs, bs, reuse):
    samples, sizes, support = ([inputs], [1], 1)
    for k in range(2):
        t = 1 - k
        support *= num_samples[t]
        node = sampler((samples[k], num_samples[t]))
        samples.append(tf.reshape(node, [support * bs]))
        sizes.append(support)
    hidden = [tf.nn.embedding_lookup([features], s) for s in samples]
    for layer in range(2):
        nxt = []
        for hop in range(2 - layer):
            d = D if layer == 0 else 32
            with tf.variable_scope("agg", reuse=reuse or hop > 0 if layer == 0 else None):
                nxt.append(
                    aggs[layer]((hidden[hop], tf.reshape(hidden[hop + 1], [bs * sizes[hop], num_samples[1 - hop], d])))
                )
        hidden = nxt
    return tf.nn.l2_normalize(hidden[0], 1)


labels = tf.reshape(tf.cast(batch2, dtype=tf.int64), [batch_size, 1])
degrees = np.arange(N) % 7 + 1
neg, _, _ = tf.nn.fixed_unigram_candidate_sampler(
    true_classes=labels,
    num_true=1,
    num_sampled=NEG,
    unique=False,
    range_max=N,
    distortion=0.75,
    unigrams=degrees.tolist(),
)
o1 = embed(batch1, batch_size, None)
o2 = embed(batch2, batch_size, True)
on = embed(neg, NEG, True)
aff = tf.reduce_sum(o1 * o2, axis=1)
neg_aff = tf.matmul(o1, tf.transpose(on))
loss = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(aff), logits=aff)) + tf.reduce_sum(
    tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(neg_aff), logits=neg_aff)
)
loss /= tf.cast(batch_size, tf.float32)
_aff = tf.expand_dims(aff, axis=1)
aff_all = tf.concat(axis=1, values=[neg_aff, _aff])
_, indices_of_ranks = tf.nn.top_k(aff_all, k=NEG + 1)
_, ranks = tf.nn.top_k(-indices_of_ranks, k=NEG + 1)
mrr = tf.reduce_mean(tf.div(1.0, tf.cast(ranks[:, -1] + 1, tf.float32)))
opt = tf.train.AdamOptimizer(0.01)
gv = [(tf.clip_by_value(g, -5.0, 5.0) if g is not None else None, v) for g, v in opt.compute_gradients(loss)]
opt_op = opt.apply_gradients(gv)
b1, b2 = (np.random.randint(0, N, B), np.random.randint(0, N, B))
results = {"losses": [], "trainable": [v.name for v in tf.trainable_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer(), {adj_info_ph: adj_np})
    for _ in range(4):
        results["losses"].append(sess.run([loss, mrr, neg, opt_op], {batch1: b1, batch2: b2, batch_size: B})[:3])
