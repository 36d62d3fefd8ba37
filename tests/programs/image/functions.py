"""The functions of tf.image: values, names, shapes, types and what they refuse."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(6)
results = {}
picture = random.uniform(0, 1, [6, 8, 3]).astype(np.float32)
batch = random.uniform(0, 1, [2, 5, 4, 3]).astype(np.float32)
dark = random.randint(0, 256, [6, 5, 3]).astype(np.uint8)


def describe(make, feeds=None, runs=1):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        try:
            y = make()
            parts = list(y) if isinstance(y, (list, tuple)) else [y]
            with tf.Session() as sess:
                feed = {graph.get_tensor_by_name(k): v for k, v in (feeds or {}).items()}
                out = [[p.name, str(p.shape), p.dtype.name] for p in parts]
                if runs:
                    out += [sess.run(parts, feed) for _ in range(runs)]
                return out
        except Exception as error:
            return type(error).__name__


def unknown(*shape):
    return tf.placeholder(tf.float32, shape or None, name="p")


image = tf.image
cases = {
    "flip_left_right": lambda: image.flip_left_right(picture),
    "flip_up_down": lambda: image.flip_up_down(batch),
    "rot90": lambda: image.rot90(picture),
    "rot90 3": lambda: image.rot90(batch, 3),
    "rot90 -2": lambda: image.rot90(picture, k=-2, name="turned"),
    "transpose": lambda: image.transpose_image(picture),
    "transpose batch": lambda: image.transpose_image(batch),
    "flip 2": lambda: image.flip_left_right(picture[0]),
    "flip 5": lambda: image.flip_left_right(picture[None, None]),
    "random_flip_left_right": lambda: image.random_flip_left_right(picture, seed=3),
    "random_flip_up_down": lambda: image.random_flip_up_down(batch, seed=4),
    "random_flip": lambda: image.random_flip_up_down(picture),
    "central_crop": lambda: image.central_crop(picture, 0.6),
    "central_crop batch": lambda: image.central_crop(batch, 0.5),
    "central_crop all": lambda: image.central_crop(batch, 1.0),
    "central_crop none": lambda: image.central_crop(batch, 0.0),
    "pad": lambda: image.pad_to_bounding_box(picture, 1, 2, 9, 12),
    "pad batch": lambda: image.pad_to_bounding_box(batch, 0, 1, 5, 6),
    "pad small": lambda: image.pad_to_bounding_box(picture, 1, 2, 4, 12),
    "pad negative": lambda: image.pad_to_bounding_box(picture, -1, 2, 9, 12),
    "pad tensors": lambda: image.pad_to_bounding_box(picture, tf.constant(1), 2, tf.constant(9), 12),
    "pad tensors small": lambda: image.pad_to_bounding_box(picture, tf.constant(1), 2, tf.constant(6), 12),
    "crop": lambda: image.crop_to_bounding_box(picture, 1, 2, 3, 4),
    "crop batch": lambda: image.crop_to_bounding_box(batch, 0, 1, 2, 3),
    "crop large": lambda: image.crop_to_bounding_box(batch, 0, 1, 12, 3),
    "crop empty": lambda: image.crop_to_bounding_box(batch, 0, 1, 0, 3),
    "crop_or_pad": lambda: image.resize_image_with_crop_or_pad(picture, 9, 5),
    "crop_or_pad batch": lambda: image.resize_with_crop_or_pad(batch, 3, 7),
    "crop_or_pad tensors": lambda: image.resize_image_with_crop_or_pad(picture, tf.constant(4), tf.constant(11)),
    "crop_or_pad none": lambda: image.resize_image_with_crop_or_pad(picture, 0, 5),
    "resize": lambda: image.resize_images(picture, [3, 4]),
    "resize batch": lambda: image.resize_images(batch, tf.constant([7, 9]), image.ResizeMethod.BICUBIC, True),
    "resize same": lambda: image.resize_images(dark, [6, 5], 1),
    "resize nearest": lambda: image.resize(dark, (9, 5), image.ResizeMethod.NEAREST_NEIGHBOR),
    "resize area": lambda: image.resize_images(dark, [4, 3], method=3, name="areas"),
    "resize ratio": lambda: image.resize_images(picture, [3, 9], preserve_aspect_ratio=True),
    "resize method": lambda: image.resize_images(picture, [3, 9], 7),
    "resize size": lambda: image.resize_images(picture, [3, 9, 2]),
    "resize scalar": lambda: image.resize_images(picture, 3),
    "resize floats": lambda: image.resize_images(picture, [3.0, 4.0]),
    "resize rank": lambda: image.resize_images(picture[0], [3, 4]),
    "resize_image_with_pad": lambda: image.resize_image_with_pad(picture, 9, 9),
    "resize_image_with_pad batch": lambda: image.resize_image_with_pad(batch, 4, 11, method=1),
    "resize_bilinear": lambda: image.resize_bilinear(batch, [3, 3], name="smaller"),
    "resize_area": lambda: image.resize_area(batch, [3, 3]),
    "per_image_standardization": lambda: image.per_image_standardization(picture),
    "per_image_standardization batch": lambda: image.per_image_standardization(batch),
    "per_image_standardization uint8": lambda: image.per_image_standardization(dark),
    "adjust_brightness": lambda: image.adjust_brightness(picture, 0.3),
    "adjust_brightness uint8": lambda: image.adjust_brightness(dark, -0.4),
    "adjust_contrast": lambda: image.adjust_contrast(picture, 2.5),
    "adjust_contrast uint8": lambda: image.adjust_contrast(dark, 0.4),
    "adjust_gamma": lambda: image.adjust_gamma(picture, 2.0, 0.7),
    "adjust_gamma uint8": lambda: image.adjust_gamma(dark, 0.6),
    "adjust_gamma negative": lambda: image.adjust_gamma(dark, -0.6),
    "adjust_gamma tensor": lambda: image.adjust_gamma(picture, tf.constant(0.5)),
    "adjust_hue": lambda: image.adjust_hue(picture, 0.2),
    "adjust_hue uint8": lambda: image.adjust_hue(dark, -0.2),
    "adjust_saturation": lambda: image.adjust_saturation(picture, 0.5),
    "adjust_saturation uint8": lambda: image.adjust_saturation(dark, 1.5, name="stronger"),
    "random_brightness": lambda: image.random_brightness(picture, 0.2, seed=3),
    "random_contrast": lambda: image.random_contrast(picture, 0.2, 1.8, seed=3),
    "random_hue": lambda: image.random_hue(picture, 0.2, seed=3),
    "random_saturation": lambda: image.random_saturation(picture, 0.5, 1.5),
    "random_brightness refused": lambda: image.random_brightness(picture, -0.2),
    "random_contrast refused": lambda: image.random_contrast(picture, 1.0, 1.0),
    "random_hue refused": lambda: image.random_hue(picture, 0.6),
    "random_saturation refused": lambda: image.random_saturation(picture, -0.6, 1.0),
    "random_crop": lambda: image.random_crop(picture, [3, 4, 3], seed=8),
    "random_jpeg_quality refused": lambda: image.random_jpeg_quality(picture, 80, 50),
    "rgb_to_grayscale": lambda: image.rgb_to_grayscale(picture),
    "rgb_to_grayscale uint8": lambda: image.rgb_to_grayscale(dark),
    "grayscale_to_rgb": lambda: image.grayscale_to_rgb(tf.constant(picture[..., :1])),
    "grayscale_to_rgb refused": lambda: image.grayscale_to_rgb(tf.constant(picture[..., :2])),
    "rgb_to_yiq": lambda: image.rgb_to_yiq(picture),
    "yiq_to_rgb": lambda: image.yiq_to_rgb(batch),
    "rgb_to_yuv": lambda: image.rgb_to_yuv(picture),
    "yuv_to_rgb": lambda: image.yuv_to_rgb(batch),
    "total_variation": lambda: image.total_variation(tf.constant(picture)),
    "total_variation batch": lambda: image.total_variation(tf.constant(batch)),
    "psnr": lambda: image.psnr(tf.constant(batch), tf.constant(batch[::-1]), 1.0),
    "psnr uint8": lambda: image.psnr(tf.constant(dark), tf.constant(dark[::-1]), 255),
    "psnr refused": lambda: image.psnr(tf.constant(dark), tf.constant(picture), 255),
    "image_gradients": lambda: image.image_gradients(tf.constant(batch)),
    "image_gradients refused": lambda: image.image_gradients(tf.constant(picture)),
    "sobel_edges": lambda: image.sobel_edges(tf.constant(batch)),
    "extract_image_patches": lambda: image.extract_image_patches(
        batch, ksizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="VALID"
    ),
    "extract_patches": lambda: image.extract_patches(
        batch, sizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 2, 1, 1], padding="SAME"
    ),
}
results["cases"] = {name: describe(make, runs=1 + name.startswith("random")) for name, make in sorted(cases.items())}

kinds = ("uint8", "int16", "int32", "float16", "float32", "float64")
converted = {}
for source in kinds:
    values = (picture * 300 if source[0] in "ui" else picture * 1.5 - 0.2).astype(source)
    for target in kinds:
        for saturate in (False, True):
            if saturate or source[0] in "ui" or target[0] == "f":
                converted["%s to %s %s" % (source, target, saturate)] = describe(
                    lambda v=values, t=target, s=saturate: image.convert_image_dtype(v[0, :2], t, s)
                )
results["converted"] = converted
results["convert to bool"] = describe(lambda: image.convert_image_dtype(picture, tf.bool))

some = {"p:0": picture}
dynamic = {
    "flip": lambda: image.flip_left_right(unknown(None, None, 3)),
    "flip any": lambda: image.flip_up_down(unknown()),
    "random flip": lambda: image.random_flip_left_right(unknown(None, 8, 3), seed=1),
    "rot90": lambda: image.rot90(unknown(None, None, 3), tf.constant(3)),
    "central_crop": lambda: image.central_crop(unknown(None, None, 3), 0.5),
    "central_crop any": lambda: image.central_crop(unknown(), 0.5),
    "pad": lambda: image.pad_to_bounding_box(unknown(None, None, 3), 1, 1, 9, 10),
    "pad any": lambda: image.pad_to_bounding_box(unknown(), 1, 1, 9, 10),
    "pad small": lambda: image.pad_to_bounding_box(unknown(None, None, 3), 1, 1, 6, 10),
    "crop": lambda: image.crop_to_bounding_box(unknown(None, None, 3), 1, 1, 4, 5),
    "crop_or_pad": lambda: image.resize_image_with_crop_or_pad(unknown(None, None, 3), 4, 12),
    "resize": lambda: image.resize_images(unknown(None, None, 3), [4, 12]),
    "resize any": lambda: image.resize_images(unknown(), [4, 12]),
    "resize ratio": lambda: image.resize_images(unknown(None, None, 3), [4, 12], preserve_aspect_ratio=True),
    "resize pad": lambda: image.resize_image_with_pad(unknown(None, None, 3), 4, 12),
    "standard": lambda: image.per_image_standardization(unknown(None, None, 3)),
    "gray": lambda: image.rgb_to_grayscale(unknown(None, None, 3)),
    "saturation": lambda: image.adjust_saturation(unknown(None, None, 3), 0.4),
    "zero dim": lambda: image.flip_up_down(unknown(None, 0, 3)),
}
results["dynamic"] = {name: describe(make, some) for name, make in sorted(dynamic.items())}

first = random.uniform(0, 1, [2, 48, 40, 3]).astype(np.float32)
second = np.clip(first + random.normal(0, 0.1, first.shape), 0, 1).astype(np.float32)
like = {
    "ssim": lambda: image.ssim(tf.constant(first), tf.constant(second), 1.0),
    "ssim small": lambda: image.ssim(tf.constant(first), tf.constant(second), 1.0, 5, 0.8, 0.02, 0.05),
    "ssim refused": lambda: image.ssim(tf.constant(first), tf.constant(second[:, 1:]), 1.0),
    "multiscale": lambda: image.ssim_multiscale(
        tf.constant(first), tf.constant(second), 1.0, power_factors=(0.3, 0.3, 0.4), filter_size=5
    ),
    "too small": lambda: image.ssim(tf.constant(first[:, :8]), tf.constant(second[:, :8]), 1.0),
}
results["like"] = {name: describe(make) for name, make in sorted(like.items())}

with tf.Graph().as_default() as graph:
    image.resize_image_with_crop_or_pad(image.random_flip_left_right(tf.zeros([4, 4, 3])), 5, 3)
    image.per_image_standardization(tf.zeros([4, 4, 3]))
    results["names"] = [[o.name, o.type] for o in graph.get_operations()]
