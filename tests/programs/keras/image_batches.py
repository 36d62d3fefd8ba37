"""tf.keras.preprocessing.image: what needs neither Pillow nor SciPy."""

import numpy as np
import tensorflow as tf

results = {}
image = tf.keras.preprocessing.image
pictures = np.random.RandomState(1).uniform(0, 255, (7, 6, 5, 3))
labels = np.arange(7)


def told(function):
    """What an error says it is."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


for number, arguments in enumerate(
    [
        {},
        {"rotation_range": 20, "width_shift_range": 0.2, "height_shift_range": 3},
        {"width_shift_range": [-2, 0, 1], "height_shift_range": [0.1, 0.3], "horizontal_flip": True},
        {"shear_range": 5, "zoom_range": 0.3, "channel_shift_range": 12.0, "vertical_flip": True},
        {"zoom_range": [0.5, 1.5], "brightness_range": (0.2, 0.9)},
        {"width_shift_range": 4, "zoom_range": (1, 1)},
    ]
):
    made = image.ImageDataGenerator(**arguments)
    drawn = []
    for seed in (3, None, None):
        transform = made.get_random_transform((6, 5, 3), seed=seed)
        drawn.append({key: None if value is None else float(value) for key, value in transform.items()})
    results["transforms %d" % number] = drawn

for number, arguments in enumerate(
    [
        {"rescale": 1.0 / 255},
        {"samplewise_center": True},
        {"samplewise_std_normalization": True},
        {"featurewise_center": True, "featurewise_std_normalization": True},
        {"preprocessing_function": lambda x: x * 2.0 + 1.0, "rescale": 0.5},
    ]
):
    made = image.ImageDataGenerator(**arguments)
    made.fit(pictures)
    results["fitted %d" % number] = [one if one is None else np.asarray(one) for one in (made.mean, made.std)]
    results["standardized %d" % number] = made.standardize(np.copy(pictures[0]).astype("float32"))

results["channel shift"] = image.apply_channel_shift(pictures[0], 30.0, 2)
np.random.seed(4)
results["random channel shift"] = image.random_channel_shift(pictures[0], 30.0, 2)
results["to array"] = [image.img_to_array(np.ones((3, 2))).shape, image.img_to_array(pictures[0]).dtype.name]
results["to array, channels first"] = image.img_to_array(pictures[0], data_format="channels_first")


class Numbers(image.Iterator):
    """Batches of the numbers themselves."""

    def _get_batches_of_transformed_samples(self, index_array):
        return np.array(index_array)


for shuffle in (False, True):
    for seed in (None, 6):
        np.random.seed(11)
        numbers = Numbers(7, 3, shuffle, seed)
        name = "numbers %s %s " % (shuffle, seed)
        results[name + "next"] = [next(numbers) for _ in range(7)]
        results[name + "by place"] = [numbers[i] for i in (0, 1, 2)]
        results[name + "length"] = len(numbers)
results["errors"] = [
    told(lambda: Numbers(7, 3, False, None)[3]),
    told(lambda: image.ImageDataGenerator(data_format="x")),
    told(lambda: image.ImageDataGenerator(zoom_range=(1, 2, 3))),
    told(lambda: image.ImageDataGenerator(validation_split=2)),
    told(lambda: image.ImageDataGenerator(brightness_range=0.1)),
    told(lambda: image.ImageDataGenerator().fit(pictures[0])),
    told(lambda: image.ImageDataGenerator().flow(pictures, labels[:3])),
    told(lambda: image.ImageDataGenerator().flow(pictures[0])),
    told(lambda: image.ImageDataGenerator(validation_split=0.5).flow(pictures, labels, subset="x")),
    told(lambda: image.ImageDataGenerator(validation_split=0.5).flow(pictures, labels, subset="training")),
    told(lambda: image.random_zoom(pictures[0], (1,))),
    told(lambda: image.random_brightness(pictures[0], (1,))),
]
