"""tf.contrib.learn.datasets.produce_small_datasets: the small files of DBpedia."""

HOMES: dict[str, str] = {"datasets.text": "main"}
