"""An estimator of a small classifier: training steps, an evaluation, the first step, and one served prediction."""

import os
import shutil
import tempfile

BARS = {
    "20 steps from arrays": 0.8,
    "20 steps from TFRecords": 1.0,
    "first step": 0.5,
    "evaluate 10,000": 1.0,
    "predict one": 0.5,
}


def workload(tf, np):
    tf.logging.set_verbosity(tf.logging.ERROR)
    base = tempfile.mkdtemp()
    state = np.random.RandomState(0)
    images = state.rand(10000, 64).astype(np.float32)
    labels = state.randint(10, size=10000).astype(np.int64)
    records = os.path.join(base, "records")
    with tf.python_io.TFRecordWriter(records) as writer:
        for image, label in zip(images[:2000], labels):
            features = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=image)),
                "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())

    def model_fn(features, labels, mode):
        hidden = tf.layers.dense(features["x"], 128, tf.nn.relu)
        logits = tf.layers.dense(tf.layers.dense(hidden, 64, tf.nn.relu), 10)
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
        metrics = {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    def from_arrays(epochs=None):
        return tf.estimator.inputs.numpy_input_fn(
            {"x": images}, labels, batch_size=128, num_epochs=epochs, shuffle=epochs is None
        )

    def from_records():
        spec = {"x": tf.FixedLenFeature([64], tf.float32), "y": tf.FixedLenFeature([], tf.int64)}

        def parsed(serialized):
            features = tf.parse_example(serialized, spec)
            return features, features.pop("y")

        return tf.data.TFRecordDataset(records).repeat().batch(128).map(parsed).prefetch(1)

    class Stepping(tf.train.SessionRunHook):
        """Hands one step after the other to whoever measures: training runs in a thread of its own."""

        def __init__(self):
            import threading

            self.go, self.done = threading.Semaphore(0), threading.Semaphore(0)

        def before_run(self, run_context):
            self.go.acquire()

        def after_run(self, run_context, run_values):
            self.done.release()

    def stepper(input_fn, name):
        import threading

        hook = Stepping()
        config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None, tf_random_seed=1)
        estimator = tf.estimator.Estimator(model_fn, os.path.join(base, name), config)
        thread = threading.Thread(target=estimator.train, args=(input_fn, [hook]))
        thread.daemon = True
        thread.start()

        def run():
            for _ in range(20):
                hook.go.release()
            for _ in range(20):
                hook.done.acquire()

        return run

    trained = tf.estimator.Estimator(model_fn, os.path.join(base, "trained"))
    trained.train(from_arrays(), steps=1)

    def first_step():
        folder = os.path.join(base, "first")
        shutil.rmtree(folder, ignore_errors=True)
        tf.estimator.Estimator(model_fn, folder).train(from_arrays(), steps=1)

    with tf.Graph().as_default():
        example = {"x": tf.placeholder(tf.float32, [None, 64])}
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(example)
    exported = trained.export_savedmodel(os.path.join(base, "export"), receiver)
    predict = tf.contrib.predictor.from_saved_model(exported.decode())
    one = images[:1]
    return {
        "20 steps from arrays": stepper(from_arrays(), "arrays"),
        "20 steps from TFRecords": stepper(from_records, "records_model"),
        "first step": first_step,
        "evaluate 10,000": lambda: trained.evaluate(from_arrays(1)),
        "predict one": lambda: predict({"x": one}),
    }
