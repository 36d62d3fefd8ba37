"""Estimators of time series: trained from given values, evaluated, and asked to go on."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.timeseries.python.timeseries import estimators, saved_model_utils

series = tf.contrib.timeseries
count = 40
times = np.arange(count)
values = np.stack([np.sin(times / 3.0), np.cos(times / 5.0) + 0.1 * times], 1)
data = {"times": times, "values": values}


class GivenValues(tf.train.SessionRunHook):
    """Gives the variables of the model values that no random numbers are needed for, and keeps the losses."""

    def __init__(self):
        self.losses = []

    def after_create_session(self, session, coord):
        made = [v for v in tf.global_variables() if v in tf.trainable_variables() or "prior_state_mean" in v.op.name]
        for i, variable in enumerate(sorted(made, key=lambda v: v.op.name)):
            size = int(np.prod(variable.shape.as_list()))
            pattern = 0.3 * np.cos(np.arange(size) + i).reshape(variable.shape.as_list())
            variable.load(pattern, session)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(run_context.original_args.fetches[1])

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)


def windows():
    starts = range(8)
    features = {
        "times": tf.constant(np.stack([times[i : i + 10] for i in starts])),
        "values": tf.constant(np.stack([values[i : i + 10] for i in starts]), tf.float32),
    }
    return features, None


whole = series.WholeDatasetInputFn(series.NumpyReader(data))
config = tf.estimator.RunConfig(tf_random_seed=3)
autoregression = {"periodicities": 7, "input_window_size": 6, "output_window_size": 4, "num_features": 2}
made = {
    "ar": series.ARRegressor(config=config, **autoregression),
    "ar squared": series.ARRegressor(loss="squared_loss", hidden_layer_sizes=[5], config=config, **autoregression),
    "ar gaussian": series.ARRegressor(
        anomaly_prior_probability=0.1, anomaly_distribution="gaussian", config=config, **autoregression
    ),
    "ar cauchy": series.ARRegressor(
        anomaly_prior_probability=0.1, anomaly_distribution="cauchy", config=config, **autoregression
    ),
    "lstm": estimators.LSTMAutoRegressor(num_units=4, config=config, **autoregression),
    "structural": series.StructuralEnsembleRegressor(
        periodicities=[7, 4.5],
        num_features=2,
        cycle_num_latent_values=3,
        autoregressive_order=2,
        moving_average_order=3,
        config=config,
    ),
    "structural anomalies": series.StructuralEnsembleRegressor(
        periodicities=6,
        num_features=2,
        cycle_num_latent_values=5,
        moving_average_order=1,
        anomaly_prior_probability=0.1,
        config=config,
    ),
}
results = {}
for name, estimator in made.items():
    hook = GivenValues()
    structural = name.startswith("structural")
    estimator.train(whole if structural else windows, steps=3, hooks=[hook])
    found = {
        "losses": hook.losses,
        "variables": {
            key: estimator.get_variable_value(key)
            for key in sorted(estimator.get_variable_names())
            if "/Adam" not in key and "/Adagrad" not in key
        },
        "names": sorted(estimator.get_variable_names()),
    }
    evaluation = estimator.evaluate(whole, steps=1)
    found["evaluation"] = {key: value for key, value in evaluation.items() if key != "start_tuple"}
    if "start_tuple" in evaluation:
        found["state"] = [np.asarray(part) for part in evaluation["start_tuple"]]
        following = series.predict_continuation_input_fn(evaluation, steps=5)
        found["predictions"] = [dict(prediction) for prediction in estimator.predict(following)]
    if name in ("ar", "structural"):
        folder = estimator.export_saved_model(tempfile.mkdtemp(), estimator.build_raw_serving_input_receiver_fn())
        with tf.Session(graph=tf.Graph()) as session:
            signatures = tf.saved_model.loader.load(session, ["serve"], folder)
            found["signatures"] = {
                key: [sorted(signature.inputs), sorted(signature.outputs), signature.method_name]
                for key, signature in signatures.signature_def.items()
            }
            filtered = saved_model_utils.cold_start_filter(
                signatures, session, {"times": times[None, :20], "values": values[None, :20]}
            )
            found["filtered"] = filtered
            further = saved_model_utils.filter_continuation(
                filtered, signatures, session, {"times": times[None, 20:30], "values": values[None, 20:30]}
            )
            found["filtered on"] = further
            found["continued"] = saved_model_utils.predict_continuation(further, signatures, session, steps=3)
            later = {"times": [[41, 43]]}
            found["predicted"] = saved_model_utils.predict_continuation(evaluation, signatures, session, **later)
    if name == "lstm":
        # What is served filters and predicts at once.
        folder = estimator.export_saved_model(tempfile.mkdtemp(), estimator.build_raw_serving_input_receiver_fn())
        with tf.Session(graph=tf.Graph()) as session:
            signature = tf.saved_model.loader.load(session, ["serve"], folder).signature_def["serving_default"]
            found["signature"] = [sorted(signature.inputs), sorted(signature.outputs)]
            found["served"] = session.run(
                {key: output.name for key, output in signature.outputs.items()},
                {signature.inputs["times"].name: times[None, :14], signature.inputs["values"].name: values[None, :8]},
            )
    results[name] = found
