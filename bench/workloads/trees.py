"""Boosted trees of 10,000 examples with 50 features each: steps of growing, and predictions."""

import os
import tempfile

BARS = {"20 layers": 1.0, "evaluate 10,000": 1.0}


def workload(tf, np):
    tf.logging.set_verbosity(tf.logging.ERROR)
    base = tempfile.mkdtemp()
    state = np.random.RandomState(0)
    values = state.randn(10000, 50).astype(np.float32)
    labels = ((values[:, 0] * values[:, 1] + values[:, 2]) > 0).astype(np.float32)[:, None]
    names = ["f%02d" % number for number in range(50)]
    features = {name: values[:, number] for number, name in enumerate(names)}
    boundaries = [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5]
    columns = [
        tf.feature_column.bucketized_column(tf.feature_column.numeric_column(name), boundaries) for name in names
    ]

    def in_one_batch():
        return tf.data.Dataset.from_tensors((features, labels)).repeat()

    config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None, tf_random_seed=1)

    def classifier(name):
        return tf.estimator.BoostedTreesClassifier(
            columns, n_batches_per_layer=1, n_trees=1000, max_depth=5, model_dir=os.path.join(base, name), config=config
        )

    class Stepping(tf.train.SessionRunHook):
        """Hands one step after the other to whoever measures: training runs in a thread of its own."""

        def __init__(self):
            import threading

            self.go, self.done = threading.Semaphore(0), threading.Semaphore(0)

        def before_run(self, run_context):
            self.go.acquire()

        def after_run(self, run_context, run_values):
            self.done.release()

    def stepper():
        import threading

        hook = Stepping()
        thread = threading.Thread(target=classifier("stepping").train, args=(in_one_batch, [hook]))
        thread.daemon = True
        thread.start()

        def run():
            for _ in range(20):
                hook.go.release()
            for _ in range(20):
                hook.done.acquire()

        return run

    trained = classifier("trained")
    trained.train(in_one_batch, steps=20)

    def once():
        return tf.data.Dataset.from_tensors((features, labels))

    return {"20 layers": stepper(), "evaluate 10,000": lambda: trained.evaluate(once)}
