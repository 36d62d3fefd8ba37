"""tensorflow.examples.tutorials.mnist.input_data: the digits of the tutorials."""

HOMES: dict[str, str] = {
    "datasets.mnist": "DataSet Datasets SOURCE_URL dense_to_one_hot extract_images extract_labels load_mnist "
    "maybe_download read_data_sets",
}
