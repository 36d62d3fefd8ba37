"""Ops on images besides resizing: colours, boxes, suppression, crops, sampling, glimpses."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(5)
results = {}
sess = tf.Session()
raw = tf.raw_ops
image = random.uniform(0, 1, [2, 5, 6, 3]).astype(np.float32)
image[0, 0, 0] = 0.0
image[0, 1, 0] = [0.5, 0.5, 0.2]
image[0, 1, 1] = [0.2, 0.5, 0.5]
image[0, 1, 2] = [0.4, 0.4, 0.4]


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


def slope(y, x):
    return sess.run(tf.gradients(y * random.normal(size=y.shape.as_list()), x)[0])


x = tf.constant(image)
hsv = tf.image.rgb_to_hsv(x)
results["hsv"] = [sess.run(hsv), hsv.op.name, hsv.op.type, slope(hsv, x)]
back = tf.image.hsv_to_rgb(hsv)
results["rgb"] = [sess.run(back), back.op.name]
results["hsv of doubles"] = sess.run(tf.image.rgb_to_hsv(image[0].astype(np.float64)))
results["contrast"] = sess.run(raw.AdjustContrastv2(images=x, contrast_factor=1.7))
for delta in (-1.0, -0.3, 0.2, 0.75):
    results["hue %g" % delta] = sess.run(raw.AdjustHue(images=x, delta=delta))
for scale in (0.0, 0.5, 3.0):
    results["saturation %g" % scale] = sess.run(raw.AdjustSaturation(images=x, scale=scale))
results["refused"] = [
    fails(lambda: tf.image.rgb_to_hsv(image[..., :2])),
    fails(lambda: raw.AdjustHue(images=image[0, 0], delta=0.1)),
    fails(lambda: raw.AdjustHue(images=image, delta=[0.1])),
    fails(lambda: raw.AdjustHue(images=image[..., :2], delta=0.1)),
]

boxes = np.float32([[0.1, 0.2, 0.9, 0.8], [0.5, 0.5, 1.2, 1.1], [0.8, 0.9, 0.2, 0.1], [0.0, 0.0, 1.0, 1.0]])
indices = np.int32([0, 1, 1, 0])
for method in ("bilinear", "nearest"):
    for size in ([3, 4], [1, 1], [7, 1]):
        at, where = tf.constant(image), tf.constant(boxes)
        crops = tf.image.crop_and_resize(at, where, indices, size, method, 0.25)
        key = "crops %s %s" % (method, size)
        weights = random.normal(size=crops.shape.as_list())
        grads = tf.gradients(crops * weights, [at, where])
        results[key] = [sess.run(crops), str(crops.shape), crops.op.name, sess.run(grads)]
fed = tf.placeholder(tf.int32)
crops = tf.image.crop_and_resize(image, boxes, box_indices=fed, crop_size=[2, 2])
results["crops outside"] = [
    fails(lambda: crops, {fed: [0, 1, 2, 0]}),
    fails(lambda: crops, {fed: [0, -1, 1, 0]}),
    fails(lambda: tf.image.crop_and_resize(image, boxes, [0], [2, 2])),
    fails(lambda: tf.image.crop_and_resize(image, boxes, indices, [2, 2], method="cubic")),
    fails(lambda: tf.image.crop_and_resize(image, boxes, indices, [0, 2])),
]

corners = random.uniform(0, 1, [40, 2, 2]).astype(np.float32)
many = np.concatenate([corners[:, 0], corners[:, 0] + 0.3 * corners[:, 1]], 1)
many[5] = many[5][[2, 3, 0, 1]]
scores = random.uniform(0, 1, [40]).astype(np.float32)
scores[7] = scores[3]
suppressed = {}
for iou in (0.0, 0.3, 0.5, 1.0):
    suppressed["plain %g" % iou] = tf.image.non_max_suppression(many, scores, 15, iou)
    suppressed["least %g" % iou] = tf.image.non_max_suppression(many, scores, 15, iou, 0.5)
    for sigma in (0.0, 0.5):
        key = "scores %g %g" % (iou, sigma)
        suppressed[key] = tf.image.non_max_suppression_with_scores(many, scores, 25, iou, 0.3, sigma)
    suppressed["padded %g" % iou] = tf.image.non_max_suppression_padded(many, scores, 50, iou, 0.4, True)
    suppressed["unpadded %g" % iou] = tf.image.non_max_suppression_padded(many, scores, 50, iou, 0.4)
suppressed["v1"] = raw.NonMaxSuppression(boxes=many, scores=scores, max_output_size=9)
suppressed["v2"] = raw.NonMaxSuppressionV2(boxes=many, scores=scores, max_output_size=9, iou_threshold=0.2)
overlaps = random.uniform(0, 1, [40, 40]).astype(np.float32)
overlaps = np.maximum((overlaps + overlaps.T) / 2, np.eye(40, dtype=np.float32))
suppressed["overlaps"] = tf.image.non_max_suppression_overlaps(overlaps, scores, 12, 0.7, 0.2)
suppressed["none"] = tf.image.non_max_suppression(np.zeros([0, 4], np.float32), np.zeros([0], np.float32), 3)
classes = random.uniform(0, 1, [2, 40, 3]).astype(np.float32)
shared = np.tile(many[None, :, None], [2, 1, 1, 1]) * 1.5 - 0.1
own = np.tile(shared, [1, 1, 3, 1]) + random.uniform(0, 0.1, [2, 40, 3, 4])
for pad in (False, True):
    for clip in (False, True):
        suppressed["combined %s %s" % (pad, clip)] = tf.image.combined_non_max_suppression(
            shared, classes, 4, 20, 0.4, 0.3, pad, clip
        )
suppressed["combined own"] = tf.image.combined_non_max_suppression(own.astype(np.float32), classes, 30, 10)
flat = {key: value if isinstance(value, (list, tuple)) else [value] for key, value in suppressed.items()}
results["suppressed"] = {key: [[sess.run(t), str(t.shape), t.dtype.name] for t in value] for key, value in flat.items()}
results["suppression names"] = [suppressed["plain 0.3"].name, flat["scores 0.3 0.5"][0].name, flat["padded 1"][0].name]
results["suppression refused"] = [
    fails(lambda: tf.image.non_max_suppression(many, scores, 3, 1.5)),
    fails(lambda: tf.image.non_max_suppression(many, scores[:3], 3)),
    fails(lambda: tf.image.non_max_suppression(many[:, :3], scores, 3)),
    fails(lambda: tf.image.non_max_suppression(many, scores, [3])),
]

canvas = random.uniform(0, 1, [2, 12, 10, 3]).astype(np.float32)
frames = np.float32([[[0.1, 0.2, 0.6, 0.9], [-0.3, 0.5, 0.5, 1.4]], [[0.0, 0.0, 1.0, 1.0], [1.2, 1.2, 1.5, 1.5]]])
drawn = tf.image.draw_bounding_boxes(canvas, frames)
results["drawn"] = [sess.run(drawn), drawn.op.type]
results["drawn grey"] = sess.run(tf.image.draw_bounding_boxes(canvas[..., :1], frames))
colored = tf.image.draw_bounding_boxes(canvas, frames, colors=[[0.2, 0.4, 0.6]])
results["drawn colored"] = [sess.run(colored), colored.op.type]

sampled = {}
one = np.float32([[[0.2, 0.3, 0.7, 0.8]]])
for seed in (1, 7):
    for options in (
        {},
        {"min_object_covered": 0.9},
        {"aspect_ratio_range": [0.9, 1.1], "area_range": [0.3, 0.6]},
        {"max_attempts": 2, "min_object_covered": 1.0, "area_range": [0.05, 0.2]},
    ):
        parts = tf.image.sample_distorted_bounding_box([100, 140, 3], one, seed=seed, **options)
        sampled["%d %s" % (seed, sorted(options))] = [sess.run(parts) for _ in range(4)]
none = tf.zeros([1, 0, 4])
tf.set_random_seed(4)
for key, parts in {
    "none": tf.image.sample_distorted_bounding_box([33, 47, 3], none, 3, use_image_if_no_bounding_boxes=True),
    "tall": tf.image.sample_distorted_bounding_box([300, 10, 3], one, 2, 9),
    "v1": raw.SampleDistortedBoundingBox(image_size=[60, 50, 3], bounding_boxes=one, seed=3, seed2=8),
}.items():
    sampled[key] = [sess.run(parts) for _ in range(3)]
    sampled[key + " names"] = [[p.name, str(p.shape), p.dtype.name] for p in parts]
results["sampled"] = sampled
results["sampling refused"] = [
    fails(lambda: tf.image.sample_distorted_bounding_box([33, 47, 3], none)),
    fails(lambda: tf.image.sample_distorted_bounding_box([33, 47], one)),
    fails(lambda: tf.image.sample_distorted_bounding_box([33, 47, 3], one * 2)),
    fails(lambda: tf.image.sample_distorted_bounding_box([33, 47, 3], one, area_range=[0.5, 1.5])),
]
wide = random.uniform(0, 1, [2, 9, 12, 2]).astype(np.float32)
for centered in (True, False):
    for normalized in (True, False):
        for offsets in ([[0.0, 0.0], [0.3, -0.2]], [[-0.9, 0.8], [0.95, -1.3]], [[3.0, 4.0], [-2.0, 7.5]]):
            y = raw.ExtractGlimpse(
                input=wide,
                size=[3, 5],
                offsets=offsets,
                centered=centered,
                normalized=normalized,
                uniform_noise=False,
                noise="zero",
            )
            results["glimpse %s %s %s" % (centered, normalized, offsets)] = sess.run(y)
y = tf.image.extract_glimpse(wide, [3, 3], [[0.0, 0.0], [0.1, 0.1]])
results["glimpse"] = [sess.run(y), y.name, str(y.shape)]
