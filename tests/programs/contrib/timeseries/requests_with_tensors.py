"""The shapes of what a request of a time series model with tensors may hold."""

import tensorflow as tf

results = {}
columns = tf.feature_column
estimator = tf.contrib.timeseries.StructuralEnsembleRegressor(
    periodicities=[2],
    num_features=1,
    exogenous_feature_columns=[
        columns.numeric_column("pair", shape=(2,)),
        columns.indicator_column(columns.categorical_column_with_hash_bucket("hashed", 16)),
        columns.embedding_column(columns.categorical_column_with_vocabulary_list("known", ["a", "b"]), 2),
    ],
)
for sizes in ((None, None), (3, 7)):
    with tf.Graph().as_default():
        receiver = estimator.build_raw_serving_input_receiver_fn(*sizes)()
        results[str(sizes)] = {
            name: [tensor.dtype.name, str(tensor.shape)]
            for name, tensor in receiver.features.items()
            if "state" not in name
        }
