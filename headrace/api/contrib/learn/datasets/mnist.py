"""tf.contrib.learn.datasets.mnist: handwritten digits."""

HOMES: dict[str, str] = {
    "datasets.mnist": "DataSet Datasets dense_to_one_hot extract_images extract_labels load_mnist read_data_sets",
}
