"""tf.contrib.learn.datasets.text_datasets: texts and their classes."""

HOMES: dict[str, str] = {"datasets.text": "DBPEDIA_URL load_dbpedia maybe_download_dbpedia"}
