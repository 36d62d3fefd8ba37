"""A step of DNNLinearCombinedClassifier on columns like those of the census: crosses, embeddings, buckets; batches of 256."""

import os
import tempfile

BARS = {"20 steps": 1.0}


def workload(tf, np):
    tf.logging.set_verbosity(tf.logging.ERROR)
    base = tempfile.mkdtemp()
    state = np.random.RandomState(0)
    rows = 5120
    words = {"education": 16, "occupation": 15, "workclass": 9, "marital": 7, "relationship": 6}
    vocabularies = {name: ["%s %d" % (name, number) for number in range(size)] for name, size in words.items()}
    features = {
        name: np.array(vocabulary, dtype=object)[state.randint(len(vocabulary), size=rows)]
        for name, vocabulary in vocabularies.items()
    }
    for name in ("age", "hours", "gain", "loss", "education_years"):
        features[name] = (state.rand(rows) * 60 + 15).astype(np.float32)
    labels = state.randint(2, size=rows).astype(np.int32)

    numeric = {
        name: tf.feature_column.numeric_column(name) for name in ("age", "hours", "gain", "loss", "education_years")
    }
    categorical = {
        name: tf.feature_column.categorical_column_with_vocabulary_list(name, vocabulary)
        for name, vocabulary in vocabularies.items()
        if name != "occupation"
    }
    categorical["occupation"] = tf.feature_column.categorical_column_with_hash_bucket("occupation", 1000)
    ages = tf.feature_column.bucketized_column(numeric["age"], [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    crosses = [
        tf.feature_column.crossed_column(["education", "occupation"], 1000),
        tf.feature_column.crossed_column([ages, "education", "occupation"], 1000),
    ]
    wide = [*categorical.values(), ages, *crosses]
    deep = list(numeric.values())
    deep += [
        tf.feature_column.indicator_column(categorical[name]) for name in sorted(categorical) if name != "occupation"
    ]
    deep.append(tf.feature_column.embedding_column(categorical["occupation"], 8))

    class Stepping(tf.train.SessionRunHook):
        """Hands one step after the other to whoever measures: training runs in a thread of its own."""

        def __init__(self):
            import threading

            self.go, self.done = threading.Semaphore(0), threading.Semaphore(0)

        def before_run(self, run_context):
            self.go.acquire()

        def after_run(self, run_context, run_values):
            self.done.release()

    def batches():
        return tf.data.Dataset.from_tensor_slices((features, labels)).repeat().batch(256).prefetch(1)

    def stepper():
        import threading

        hook = Stepping()
        config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None, tf_random_seed=1)
        model = tf.estimator.DNNLinearCombinedClassifier(
            model_dir=os.path.join(base, "model"),
            linear_feature_columns=wide,
            dnn_feature_columns=deep,
            dnn_hidden_units=[100, 75, 50, 25],
            config=config,
        )
        thread = threading.Thread(target=model.train, args=(batches, [hook]))
        thread.daemon = True
        thread.start()

        def run():
            for _ in range(20):
                hook.go.release()
            for _ in range(20):
                hook.done.acquire()

        return run

    return {"20 steps": stepper()}
