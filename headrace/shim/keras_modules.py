"""The modules of the stand-alone package `keras`, 1.2 to 2.3, and where their names are looked up here.

A row goes from a module's path below `keras` to places, tried in order, each relative to Headrace: modules of
`headrace.keras.standalone` for what that package has otherwise than `tf.keras`, and the modules of `tf.keras`.
"""

from __future__ import annotations

_LAYERS = (
    "keras.standalone.layers keras.standalone.legacy_layers keras.standalone.merging keras.layers "
    "keras.standalone.base_classes"
)
_ENGINE = (
    "keras.standalone.models keras.standalone.layers keras.standalone.engine keras.engine.base_layer "
    "keras.engine.input_layer keras.engine.network keras.engine.training keras.models keras.layers keras.utils "
    "keras.saving.hdf5_format keras.saving.weight_conversions keras.utils.generic_utils"
)
_TRAINING_UTILS = (
    "keras.engine.training_input_checks keras.engine.training_weights keras.engine.training_arrays "
    "keras.engine.training_splitting keras.utils.data_utils"
)
_NETWORKS = [
    "densenet",
    "imagenet_utils",
    "inception_resnet_v2",
    "inception_v3",
    "mobilenet",
    "mobilenet_v2",
    "nasnet",
    "resnet",
    "resnet50",
    "resnet_v2",
    "vgg16",
    "vgg19",
    "xception",
]
# Those whose modules have constants with the addresses of their weights.
_WITH_PATHS = ["inception_v3", "resnet50", "vgg16", "vgg19", "xception"]
_BACKEND = "keras.standalone.backend_renames keras.standalone.backend keras.backend"
_DATASETS = ["boston_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"]

MODULES: dict[str, str] = {
    "": "keras.standalone.package",
    "activations": "keras.standalone.activations keras.activations",
    "applications": "keras.applications",
    "backend": f"{_BACKEND} keras.backend.arrays",
    "backend.common": f"{_BACKEND} keras.standalone.tensorflow_backend",
    "backend.load_backend": _BACKEND,
    "backend.tensorflow_backend": f"keras.standalone.tensorflow_backend {_BACKEND}",
    "callbacks": "keras.standalone.callbacks keras.callbacks",
    **{
        f"callbacks.{name}": "keras.standalone.callbacks keras.callbacks"
        for name in ["callbacks", "tensorboard_v1", "tensorboard_v2"]
    },
    "constraints": "keras.standalone.constraints keras.constraints",
    "datasets": "keras.datasets",
    "engine": _ENGINE,
    **{
        f"engine.{name}": _ENGINE
        for name in ["base_layer", "input_layer", "network", "sequential", "topology", "training"]
    },
    "engine.training_arrays": "keras.engine.training_arrays",
    "engine.training_generator": "keras.engine.training_generator",
    "engine.training_utils": f"{_ENGINE} {_TRAINING_UTILS}",
    "engine.saving": (
        "keras.standalone.models keras.saving.hdf5_format keras.saving.model_config keras.saving.weight_conversions"
    ),
    "initializations": "keras.standalone.initializations",
    "initializers": "keras.standalone.initializers keras.initializers",
    "layers": _LAYERS,
    **{
        f"layers.{name}": _LAYERS
        for name in [
            "advanced_activations",
            "convolutional",
            "convolutional_recurrent",
            "core",
            "cudnn_recurrent",
            "embeddings",
            "local",
            "merge",
            "noise",
            "normalization",
            "pooling",
            "recurrent",
            "wrappers",
        ]
    },
    "legacy": "",
    "legacy.interfaces": "keras.standalone.interfaces",
    "legacy.layers": _LAYERS,
    "losses": "keras.standalone.losses keras.losses",
    "metrics": "keras.standalone.metrics keras.metrics",
    "models": "keras.standalone.models keras.models",
    "objectives": "keras.standalone.losses keras.losses",
    "optimizers": "keras.standalone.optimizers keras.optimizers",
    "preprocessing": "keras.preprocessing",
    "preprocessing.image": ("keras.standalone.image keras.preprocessing.image keras.preprocessing.image_transforms"),
    "preprocessing.sequence": "keras.preprocessing.sequence",
    "preprocessing.text": "keras.preprocessing.text keras.standalone.text",
    "regularizers": "keras.standalone.regularizers keras.regularizers",
    "utils": "keras.standalone.utils keras.utils",
    "utils.conv_utils": "keras.utils.conv_utils",
    "utils.data_utils": "keras.standalone.utils keras.utils keras.utils.downloads",
    "utils.generic_utils": "keras.standalone.utils keras.utils.generic_utils keras.utils",
    "utils.io_utils": "keras.standalone.utils keras.standalone.io_utils keras.utils keras.utils.io_utils",
    "utils.layer_utils": "keras.standalone.utils keras.utils.layer_utils keras.utils",
    "utils.multi_gpu_utils": "keras.utils",
    "utils.np_utils": "keras.standalone.utils keras.standalone.np_utils keras.utils keras.utils.conv_utils",
    "utils.losses_utils": "keras.utils.losses_utils",
    "utils.metrics_utils": "keras.utils.metrics_utils",
    "utils.test_utils": "keras.standalone.test_utils",
    "utils.training_utils": "keras.utils",
    "utils.vis_utils": "keras.standalone.utils keras.utils",
    "utils.visualize_util": "keras.standalone.utils keras.utils",
    "wrappers": "",
    "wrappers.scikit_learn": "keras.wrappers.scikit_learn",
    **{
        f"applications.{name}": f"keras.applications.{name} keras.applications keras.standalone.applications"
        + (f" keras.standalone.weight_paths.{name}" if name in _WITH_PATHS else "")
        for name in _NETWORKS
    },
    "applications.mobilenetv2": "keras.applications.mobilenet_v2 keras.applications keras.standalone.applications",
    "datasets.cifar": "keras.datasets.cifar",
    **{f"datasets.{name}": f"keras.datasets.{name}" for name in _DATASETS},
}

# The packages that Keras 2.2 took its networks and its preparation of data from.
PARTS: dict[str, str] = {"keras_applications": "applications", "keras_preprocessing": "preprocessing"}
