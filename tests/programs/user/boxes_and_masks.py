"""Boxes and masks: pieces chosen, partitioned, stitched, scattered and sorted, with sizes known only when run."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(4)
results = {}
boxes = tf.placeholder(tf.float32, [None, 4])
scores = tf.placeholder(tf.float32, [None])
lengths = tf.placeholder(tf.int32, [None])
feed = {
    boxes: random.uniform(0, 10, [12, 4]).astype(np.float32),
    scores: random.uniform(size=12).astype(np.float32),
    lengths: [1, 3, 5],
}

top, left, bottom, right = tf.unstack(boxes, axis=1)
area = tf.maximum(right - left, 0.0) * tf.maximum(bottom - top, 0.0)
keep = tf.logical_and(area > 1.0, scores >= 0.2)
kept_boxes, kept_scores = tf.boolean_mask(boxes, keep), tf.boolean_mask(scores, keep)
best, order = tf.nn.top_k(kept_scores, k=tf.minimum(3, tf.shape(kept_scores)[0]), sorted=True)
best_boxes = tf.gather(kept_boxes, order)
overlap = tf.maximum(
    0.0,
    tf.minimum(best_boxes[:, None, 2], best_boxes[None, :, 2])
    - tf.maximum(best_boxes[:, tf.newaxis, 0], best_boxes[tf.newaxis, :, 0]),
)
padded = tf.pad(best_boxes, [[0, 5 - tf.shape(best_boxes)[0]], [0, 0]])
padded.set_shape([5, 4])
level = tf.cast(scores * 2.99, tf.int32)
parts = tf.dynamic_partition(boxes, level, 3)
places = tf.dynamic_partition(tf.range(tf.shape(boxes)[0]), level, 3)
stitched = tf.dynamic_stitch(places, [part * (i + 1.0) for i, part in enumerate(parts)])
diagonal = tf.gather_nd(boxes, tf.stack([tf.range(4), [3, 2, 1, 0]], 1))
unique, index, count = tf.unique_with_counts(tf.cast(boxes[:, 0], tf.int32))
by_unique = tf.unsorted_segment_sum(scores, index, tf.size(unique))
rows = tf.where(scores > 0.5, boxes, tf.zeros_like(boxes))
cumulated = tf.cumsum(scores, exclusive=True, reverse=True)
loss = (
    tf.reduce_sum(stitched**2)
    + tf.reduce_sum(kept_boxes)
    + tf.reduce_sum(diagonal * [1.0, 2.0, 3.0, 4.0])
    + tf.reduce_sum(rows * 3.0)
    + tf.reduce_sum(padded * best_boxes[0])
    + tf.reduce_sum(overlap)
)

fetches = {
    "kept": [kept_boxes, kept_scores, tf.where(keep)[:, 0]],
    "best": [best, order, overlap, padded],
    "stitched": stitched,
    "diagonal": diagonal,
    "unique": [unique, count, by_unique],
    "elements": tf.where(boxes > 5.0, boxes, -tf.ones_like(boxes)),
    "one hot": tf.one_hot(tf.to_int32(scores * 3), 3, on_value=0.9, off_value=0.05, axis=0),
    "mask": tf.sequence_mask(lengths, 5, dtype=tf.float32),
    "last": tf.gather_nd(tf.reshape(tf.range(30.0), [3, 5, 2]), tf.stack([tf.range(3), lengths - 1], axis=1)),
    "slices": [tf.slice(boxes, [2, 1], [-1, 2]), boxes[::-2, ..., 1:3], cumulated],
    "sorted": tf.argsort(scores, direction="DESCENDING"),
    "histogram": tf.histogram_fixed_width(scores, [0.0, 1.0], 5),
    "gradients": tf.gradients(loss, boxes)
    + tf.gradients(tf.reduce_sum(by_unique**2) + tf.reduce_sum(cumulated**2) + tf.reduce_sum(best**3), scores),
}


def flat(fetch):
    return fetch if isinstance(fetch, list) else [fetch]


results["shapes"] = [str(t.get_shape()) for name in sorted(fetches) for t in flat(fetches[name])]
with tf.Session() as sess:
    for name in fetches:
        results[name] = sess.run(fetches[name], feed)
    # Above the size from which large choices and tanh go another way; special values and strides among them.
    wide = tf.placeholder(tf.float32)
    numbers = random.normal(size=(300, 120)).astype(np.float32)
    numbers[0, :4] = [np.nan, np.inf, -np.inf, -0.0]
    even, odd = wide[:, ::2], wide[:, 1::2]
    large = [
        tf.where(wide > 0.3, wide, tf.exp(wide)),
        tf.where(even > 0.3, odd, tf.transpose(tf.transpose(even))),
        tf.where(wide > 0.3, tf.ones_like(wide, tf.int64), tf.zeros_like(wide, tf.int64)),
        tf.tanh(wide * 8.0),
        tf.tanh(wide * 1e-3),
        wide**2,
        wide**3,
        tf.gradients(tf.tanh(wide) ** 2, wide)[0],
    ]
    results["large"] = [[value[:2], value[1:].sum()] for value in sess.run(large, {wide: numbers})]
