"""tf.contrib.keras.datasets, as it was before `tf.keras`."""

NESTED = {
    "boston_housing": {"keras.datasets.boston_housing": "load_data"},
    "cifar10": {"keras.datasets.cifar10": "load_data"},
    "cifar100": {"keras.datasets.cifar100": "load_data"},
    "imdb": {"keras.datasets.imdb": "get_word_index load_data"},
    "mnist": {"keras.datasets.mnist": "load_data"},
    "reuters": {"keras.datasets.reuters": "get_word_index load_data"},
}
