"""tf.keras.applications: the layers of each network, their shapes, weights and connections."""

import hashlib

import numpy as np
import tensorflow as tf

results = {}
applications = tf.keras.applications
KEYS = [
    "filters",
    "kernel_size",
    "strides",
    "padding",
    "use_bias",
    "activation",
    "pool_size",
    "epsilon",
    "momentum",
    "axis",
    "scale",
    "center",
    "rate",
    "units",
    "cropping",
    "depth_multiplier",
    "max_value",
    "target_shape",
    "dilation_rate",
    "arguments",
]


def sources(layer):
    """The names of the layers before it."""
    found = []
    for node in layer._inbound_nodes:
        before = node.inbound_layers
        found += [one.name for one in (before if isinstance(before, (list, tuple)) else [before])]
    return found


def plain(value):
    """A value of a configuration as a text that does not depend on the kind of sequence."""
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join(plain(one) for one in value)
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return repr(float(value))
    return str(value)


def described(model):
    """What is to be the same of a model; of its many layers a few, and a fingerprint of all."""
    lines = []
    for layer in model.layers:
        config = layer.get_config()
        shape = layer.output_shape[0] if isinstance(layer.output_shape, list) else layer.output_shape
        settings = " ".join("%s=%s" % (key, plain(config[key])) for key in KEYS if key in config)
        lines.append(
            "%s %s <- %s %s %d %s"
            % (type(layer).__name__, layer.name, ",".join(sources(layer)), plain(shape), layer.count_params(), settings)
        )
    return {
        "name": model.name,
        "weights": model.count_params(),
        "layers": len(lines),
        "some": lines[:3] + lines[:: max(1, len(lines) // 8)] + lines[-3:],
        "all": hashlib.md5("\n".join(lines).encode()).hexdigest(),
    }


CASES = [
    ("VGG16", {}),
    ("VGG19", {"include_top": False, "pooling": "avg"}),
    ("ResNet50", {"classes": 10}),
    ("ResNet101", {"include_top": False, "pooling": "max"}),
    ("ResNet152", {"include_top": False}),
    ("ResNet50V2", {}),
    ("ResNet101V2", {"include_top": False, "input_shape": (96, 64, 3)}),
    ("ResNet152V2", {"include_top": False, "pooling": "avg"}),
    ("InceptionV3", {}),
    ("InceptionResNetV2", {"include_top": False, "pooling": "max"}),
    ("Xception", {}),
    ("MobileNet", {"alpha": 0.5, "input_shape": (160, 160, 3), "depth_multiplier": 2}),
    ("MobileNet", {"include_top": False, "pooling": "avg"}),
    ("MobileNetV2", {"alpha": 0.35, "input_shape": (97, 97, 3), "classes": 3}),
    ("MobileNetV2", {"alpha": 1.4}),
    ("MobileNetV2", {"include_top": False}),
    ("DenseNet121", {}),
    ("DenseNet169", {"include_top": False}),
    ("DenseNet201", {"include_top": False, "input_shape": (40, 40, 1)}),
    ("NASNetMobile", {}),
    ("NASNetLarge", {"include_top": False, "input_shape": (97, 99, 3)}),
]
for name, arguments in CASES:
    tf.keras.backend.clear_session()
    model = getattr(applications, name)(weights=None, **arguments)
    results["%s %s" % (name, sorted(arguments.items()))] = described(model)
tf.keras.backend.clear_session()


def told(function):
    """What an error says it is."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["errors"] = [
    told(lambda: applications.VGG16(weights="missing")),
    told(lambda: applications.VGG16(weights="imagenet", classes=10)),
    told(lambda: applications.VGG16(weights=None, input_shape=(16, 16, 3))),
    told(lambda: applications.VGG16(weights=None, input_shape=(None, None, 3))),
    told(lambda: applications.VGG16(weights=None, input_shape=(16, 16))),
    told(lambda: applications.Xception(weights=None, include_top=False, input_shape=(70, 80, 3))),
    told(lambda: applications.InceptionV3(weights=None, include_top=False, input_shape=(74, 80, 3))),
    told(lambda: applications.vgg16.decode_predictions(np.zeros((2, 10)))),
]

images = np.random.RandomState(0).randint(0, 256, (2, 4, 3, 3))
with tf.Session() as session:
    for name in [
        "vgg16",
        "vgg19",
        "resnet",
        "resnet50",
        "resnet_v2",
        "inception_v3",
        "inception_resnet_v2",
        "xception",
        "mobilenet",
        "mobilenet_v2",
        "densenet",
        "nasnet",
        "imagenet_utils",
    ]:
        module = getattr(applications, name)
        results["input of " + name] = module.preprocess_input(images.astype("float64"))
        results["one input of " + name] = module.preprocess_input(images[0])
        if name != "densenet":  # 1.15.5 keeps the means of the network that was asked first for those of all
            tensor = module.preprocess_input(tf.constant(images, tf.float32))
            results["tensor of " + name] = session.run(tensor)
    for mode in ("tf", "caffe", "torch"):
        first = images.transpose(0, 3, 1, 2)
        given = applications.imagenet_utils.preprocess_input(first, mode=mode, data_format="channels_first")
        results["channels first, " + mode] = given
