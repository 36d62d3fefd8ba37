"""tf.contrib.learn.datasets: small data sets."""

HOMES: dict[str, str] = {
    "datasets.catalogue": "DATASETS SYNTHETIC load_dataset make_dataset",
    "datasets.csv_tables": "load_boston load_iris",
}
