"""tf.contrib.cloud, which is not here: services of Google Cloud."""

_ADVICE = "copy the data to files, or read it with a client library in tf.data.Dataset.from_generator"

ABSENT = dict.fromkeys(
    (
        "BigQueryReader",
        "BigtableClient",
        "BigtableTable",
        "BlockCacheParams",
        "ConfigureGcsHook",
        "configure_colab_session",
        "configure_gcs",
    ),
    _ADVICE,
)
