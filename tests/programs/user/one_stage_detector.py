"""A detector of one stage: its loss with ignored boxes from a loop over arrays, batch statistics, and suppression."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
tf.set_random_seed(2)
rng = np.random.RandomState(0)
img = tf.placeholder(tf.float32, [None, 32, 32, 3])
tb = tf.placeholder(tf.float32, [None, 4, 4, 3, 10])
anchors = np.array([[5, 6], [10, 12], [20, 16]], "f")


def _fixed_padding(x, k):
    return tf.pad(
        x, [[0, 0], [(k - 1) // 2, k - 1 - (k - 1) // 2], [(k - 1) // 2, k - 1 - (k - 1) // 2], [0, 0]], mode="CONSTANT"
    )


def conv(x, f, k, s=1):
    if s > 1:
        x = _fixed_padding(x, k)
    return slim.conv2d(x, f, k, stride=s, padding="SAME" if s == 1 else "VALID")


normed = {"decay": 0.9, "epsilon": 1e-05, "scale": True, "is_training": True, "fused": None}
convolved = {
    "normalizer_fn": slim.batch_norm,
    "normalizer_params": normed,
    "biases_initializer": None,
    "activation_fn": lambda x: tf.nn.leaky_relu(x, alpha=0.1),
}
with slim.arg_scope([slim.conv2d], **convolved):
    n = conv(img, 8, 3)
    n = conv(n, 16, 3, 2)
    r = n
    n = conv(n, 8, 1)
    n = conv(n, 16, 3) + r
    n16 = conv(n, 32, 3, 2)
    n = conv(n16, 32, 3, 2)
    up = tf.image.resize_nearest_neighbor(conv(n, 16, 1), (8, 8))
    mid = conv(tf.concat([up, n16], 3), 16, 3, 2)
    feat = tf.concat([mid, n], -1)
    out = slim.conv2d(
        feat, 3 * 10, 1, normalizer_fn=None, activation_fn=None, biases_initializer=tf.zeros_initializer()
    )
g = tf.shape(out)[1:3]
ratio = tf.to_float(tf.shape(img)[1:3] / g)
fm = tf.reshape(out, [-1, g[0], g[1], 3, 10])
bc, bs, cl, pl = tf.split(fm, [2, 2, 1, 5], axis=-1)
gx, gy = tf.meshgrid(tf.range(g[1]), tf.range(g[0]))
off = tf.cast(
    tf.reshape(tf.concat([tf.reshape(gx, (-1, 1)), tf.reshape(gy, (-1, 1))], -1), [g[0], g[1], 1, 2]), tf.float32
)
bxy = (tf.nn.sigmoid(bc) + off) * ratio[::-1]
bwh = tf.exp(bs) * anchors
boxes = tf.concat([bxy, bwh], -1)
om = tf.cast(tb[..., 4:5], "bool")


def ignore(i, m):
    vt = tf.boolean_mask(tb[i, ..., 0:4], om[i, ..., 0])
    p = boxes[i]
    pm, px = (tf.expand_dims(p[..., :2] - p[..., 2:] / 2, -2), tf.expand_dims(p[..., :2] + p[..., 2:] / 2, -2))
    t = tf.expand_dims(vt, 0)
    wh = tf.maximum(tf.minimum(px, t[..., :2] + t[..., 2:] / 2) - tf.maximum(pm, t[..., :2] - t[..., 2:] / 2), 0.0)
    ia = wh[..., 0] * wh[..., 1]
    iou = ia / (tf.expand_dims(p[..., 2] * p[..., 3], -1) + tf.reshape(vt[:, 2] * vt[:, 3], [1, 1, 1, -1]) - ia + 1e-10)
    return (i + 1, m.write(i, tf.to_float(tf.reduce_max(iou, -1) < 0.5)))


_, ig = tf.while_loop(
    lambda i, m: i < tf.shape(img)[0], ignore, [0, tf.TensorArray(tf.float32, size=0, dynamic_size=True)]
)
ig = tf.expand_dims(ig.stack(), -1)
txy = tb[..., 0:2] / ratio[::-1] - off
twh = tb[..., 2:4] / anchors
twh = tf.where(tf.equal(twh, 0), tf.ones_like(twh), twh)
twh = tf.log(tf.clip_by_value(twh, 1e-09, 1000000000.0))
o = tb[..., 4:5]
N = tf.cast(tf.shape(img)[0], tf.float32)
loss = (
    tf.reduce_sum(tf.square(txy - tf.nn.sigmoid(bc)) * o) / N
    + tf.reduce_sum(tf.square(twh - bs) * o) / N
    + tf.reduce_sum((o + (1 - o) * ig) * tf.nn.sigmoid_cross_entropy_with_logits(labels=o, logits=cl)) / N
    + tf.reduce_sum(o * tf.nn.sigmoid_cross_entropy_with_logits(labels=tb[..., 5:], logits=pl)) / N
)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    op = tf.train.MomentumOptimizer(0.001, 0.9).minimize(loss)
conf, prob = (tf.sigmoid(cl), tf.sigmoid(pl))
sc = tf.reshape(conf * prob, [-1, 5])
bb = tf.reshape(tf.concat([bxy - bwh / 2, bxy + bwh / 2], -1), [-1, 4])
keep = []
for c in range(5):
    m = sc[:, c] > 0.2
    fb, fs = (tf.boolean_mask(bb, m), tf.boolean_mask(sc[:, c], m))
    k = tf.image.non_max_suppression(fb, fs, 5, 0.5)
    keep.append(tf.gather(fs, k))
keep = tf.concat(keep, 0)
X = rng.rand(4, 32, 32, 3)
T = np.zeros((4, 4, 4, 3, 10))
for i in range(4):
    for _ in range(3):
        a, b_, c = (rng.randint(0, 4), rng.randint(0, 4), rng.randint(3))
        T[i, a, b_, c, :4] = [b_ * 8 + 4, a * 8 + 3, 9, 11]
        T[i, a, b_, c, 4] = T[i, a, b_, c, 5 + c] = 1
results = {"losses": [], "trainable": [v.name for v in tf.trainable_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        results["losses"].append(sess.run([loss, op], {img: X, tb: T})[0])
    results["kept"] = sess.run(keep, {img: X})
