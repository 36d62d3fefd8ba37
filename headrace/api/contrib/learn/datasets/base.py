"""tf.contrib.learn.datasets.base: tables in files, and files from the network."""

HOMES: dict[str, str] = {
    "datasets.csv_tables": "Dataset Datasets load_boston load_csv_with_header load_csv_without_header load_iris shrink_csv",
    "datasets.downloading": "maybe_download retry urlretrieve_with_retry",
}
