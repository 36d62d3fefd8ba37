"""tf.contrib.learn.datasets.mnist: handwritten digits."""

HOMES: dict[str, str] = {
    "datasets.mnist": "DEFAULT_SOURCE_URL DataSet Datasets dense_to_one_hot extract_images extract_labels "
    "load_mnist read_data_sets",
}
