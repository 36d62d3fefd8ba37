"""A classifier of sentence pairs, written for TPUs as those of 2018 and 2019 were, and run without one.

A transformer encoder of four small layers reads TFRecords; its optimizer (Adam with decay of the weights) is the program's
own, its learning rate warms up; TPUEstimator trains, evaluates, predicts, exports, and starts another model.
"""

import glob
import math
import os
import re
import tempfile

import numpy as np
import tensorflow as tf

results = {}
base = tempfile.mkdtemp()
LENGTH, VOCABULARY, WIDTH, HEADS, LAYERS, CLASSES = 8, 30, 12, 3, 4, 3


def write_examples(path, count, seed):
    state = np.random.RandomState(seed)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(count):
            used = state.randint(4, LENGTH + 1)
            ids = np.where(np.arange(LENGTH) < used, state.randint(1, VOCABULARY, LENGTH), 0)
            values = {
                "input_ids": ids,
                "input_mask": (np.arange(LENGTH) < used).astype(int),
                "segment_ids": (np.arange(LENGTH) >= used // 2).astype(int),
                "label_ids": [int(ids.sum()) % CLASSES],
            }
            feature = {
                key: tf.train.Feature(int64_list=tf.train.Int64List(value=list(value))) for key, value in values.items()
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def input_fn_builder(path, is_training):
    spec = {
        "input_ids": tf.FixedLenFeature([LENGTH], tf.int64),
        "input_mask": tf.FixedLenFeature([LENGTH], tf.int64),
        "segment_ids": tf.FixedLenFeature([LENGTH], tf.int64),
        "label_ids": tf.FixedLenFeature([], tf.int64),
    }

    def decode(record):
        return {key: tf.to_int32(value) for key, value in tf.parse_single_example(record, spec).items()}

    def input_fn(params):
        data = tf.data.TFRecordDataset(path)
        if is_training:
            data = data.repeat()
        return data.apply(
            tf.contrib.data.map_and_batch(decode, batch_size=params["batch_size"], drop_remainder=is_training)
        )

    return input_fn


def started(name, shape):
    """Values that depend on the name only, so that both implementations begin alike."""
    seed = sum(ord(letter) * (at + 1) for at, letter in enumerate(name)) % 100003
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.2)


def weights(name, shape):
    return tf.get_variable(name, shape, initializer=started(tf.get_variable_scope().name + name, shape))


def dense(x, units, name, activation=None):
    with tf.variable_scope(name):
        kernel = weights("kernel", [x.shape[-1].value, units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        y = tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, x.shape[-1].value]), kernel), bias)
        y = tf.reshape(y, tf.concat([tf.shape(x)[:-1], [units]], 0))
        y.set_shape(x.shape[:-1].concatenate([units]))
        return activation(y) if activation else y


def gelu(x):
    return x * 0.5 * (1.0 + tf.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * tf.pow(x, 3))))


def layer_norm(x, name="LayerNorm"):
    return tf.contrib.layers.layer_norm(x, begin_norm_axis=-1, begin_params_axis=-1, scope=name)


def split_heads(x):
    return tf.transpose(tf.reshape(x, [-1, LENGTH, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])


def attention(x, mask):
    query, key, value = (split_heads(dense(x, WIDTH, name)) for name in ("query", "key", "value"))
    scores = tf.matmul(query, key, transpose_b=True) / math.sqrt(WIDTH // HEADS)
    scores += (1.0 - tf.cast(mask[:, tf.newaxis, tf.newaxis, :], tf.float32)) * -10000.0
    mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
    return tf.reshape(mixed, [-1, LENGTH, WIDTH])


def encoder(ids, mask, segments):
    with tf.variable_scope("bert"):
        with tf.variable_scope("embeddings"):
            words = weights("word_embeddings", [VOCABULARY, WIDTH])
            kinds = weights("token_type_embeddings", [2, WIDTH])
            places = weights("position_embeddings", [16, WIDTH])
            kind = tf.matmul(tf.one_hot(tf.reshape(segments, [-1]), 2), kinds)
            x = tf.nn.embedding_lookup(words, ids) + tf.reshape(kind, [-1, LENGTH, WIDTH])
            x = layer_norm(x + tf.slice(places, [0, 0], [LENGTH, -1]))
        with tf.variable_scope("encoder"):
            for i in range(LAYERS):
                with tf.variable_scope("layer_%d" % i):
                    with tf.variable_scope("attention"):
                        x = layer_norm(x + dense(attention(x, mask), WIDTH, "output"))
                    x = layer_norm(x + dense(dense(x, 2 * WIDTH, "intermediate", gelu), WIDTH, "output"))
        with tf.variable_scope("pooler"):
            return dense(tf.squeeze(x[:, 0:1, :], axis=1), WIDTH, "dense", tf.tanh)


class AdamWeightDecay(tf.train.Optimizer):
    def __init__(self, learning_rate, decay, excluded, name="AdamWeightDecay"):
        super(AdamWeightDecay, self).__init__(False, name)
        self.learning_rate, self.decay, self.excluded = learning_rate, decay, excluded

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for grad, var in grads_and_vars:
            if grad is None or var is None:
                continue
            plain = re.match("^(.*):\\d+$", var.name).group(1)
            m, v = (
                tf.get_variable(
                    plain + suffix, var.shape.as_list(), trainable=False, initializer=tf.zeros_initializer()
                )
                for suffix in ("/adam_m", "/adam_v")
            )
            next_m = tf.multiply(0.9, m) + tf.multiply(0.1, grad)
            next_v = tf.multiply(0.999, v) + tf.multiply(0.001, tf.square(grad))
            update = next_m / (tf.sqrt(next_v) + 1e-6)
            if not any(re.search(pattern, plain) for pattern in self.excluded):
                update += self.decay * var
            assignments.extend([var.assign(var - self.learning_rate * update), m.assign(next_m), v.assign(next_v)])
        return tf.group(*assignments, name=name)


def train_op_of(loss, rate, steps, warmup, use_tpu):
    step = tf.train.get_or_create_global_step()
    decayed = tf.train.polynomial_decay(rate, step, steps, end_learning_rate=0.0, power=1.0)
    is_early = tf.cast(step < warmup, tf.float32)
    rate = (1.0 - is_early) * decayed + is_early * rate * tf.cast(step, tf.float32) / float(warmup)
    optimizer = AdamWeightDecay(rate, 0.01, ["LayerNorm", "layer_norm", "bias"])
    if use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    variables = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
    update = optimizer.apply_gradients(zip(grads, variables), global_step=step)
    with tf.control_dependencies([update]):  # or the rate may see the next step
        return tf.group(step.assign(step + 1))


def model_fn_builder(init_checkpoint=None):
    def model_fn(features, labels, mode, params):
        pooled = encoder(features["input_ids"], features["input_mask"], features["segment_ids"])
        output_weights = weights("output_weights", [CLASSES, WIDTH])
        output_bias = tf.get_variable("output_bias", [CLASSES], initializer=tf.zeros_initializer())
        if mode == tf.estimator.ModeKeys.TRAIN:
            pooled = tf.nn.dropout(pooled, keep_prob=1.0)
        logits = tf.nn.bias_add(tf.matmul(pooled, output_weights, transpose_b=True), output_bias)
        if init_checkpoint:
            there = [name for name, _ in tf.train.list_variables(init_checkpoint)]
            names = {v.op.name: v.op.name for v in tf.trainable_variables() if v.op.name in there and "bert" in v.name}
            tf.train.init_from_checkpoint(init_checkpoint, names)
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, predictions={"probabilities": tf.nn.softmax(logits)})
        one_hot = tf.one_hot(features["label_ids"], CLASSES)
        per_example = -tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), -1)
        loss = tf.reduce_mean(per_example)
        if mode == tf.estimator.ModeKeys.TRAIN:
            train_op = train_op_of(loss, 2e-3, 20, 4, params["use_tpu"])
            return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op)

        def metric_fn(per_example, label_ids, logits):
            predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
            return {
                "eval_accuracy": tf.metrics.accuracy(labels=label_ids, predictions=predictions),
                "eval_loss": tf.metrics.mean(values=per_example),
            }

        return tf.contrib.tpu.TPUEstimatorSpec(
            mode=mode, loss=loss, eval_metrics=(metric_fn, [per_example, features["label_ids"], logits])
        )

    return model_fn


def estimator_of(folder, init_checkpoint=None):
    config = tf.contrib.tpu.RunConfig(
        model_dir=os.path.join(base, folder),
        save_checkpoints_steps=5,
        tpu_config=tf.contrib.tpu.TPUConfig(
            iterations_per_loop=5,
            num_shards=8,
            per_host_input_for_training=tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2,
        ),
    )
    return tf.contrib.tpu.TPUEstimator(
        use_tpu=False,
        model_fn=model_fn_builder(init_checkpoint),
        config=config,
        train_batch_size=6,
        eval_batch_size=4,
        predict_batch_size=5,
    )


train_file, eval_file = os.path.join(base, "train.tf_record"), os.path.join(base, "eval.tf_record")
write_examples(train_file, 24, 1)
write_examples(eval_file, 10, 2)

estimator = estimator_of("first")
estimator.train(input_fn=input_fn_builder(train_file, True), max_steps=12)
results["names"] = estimator.get_variable_names()
results["weights"] = {
    name: estimator.get_variable_value(name)
    for name in ("output_weights", "bert/encoder/layer_2/attention/query/kernel", "global_step")
}
results["checkpoints"] = sorted(os.path.basename(path) for path in glob.glob(os.path.join(base, "first", "*.index")))
evaluated = estimator.evaluate(input_fn=input_fn_builder(eval_file, False), steps=None)
results["evaluated"] = {key: np.asarray(value) for key, value in evaluated.items()}
predicted = [each["probabilities"] for each in estimator.predict(input_fn=input_fn_builder(eval_file, False))]
results["predicted"] = np.array(predicted)


def serving_input_fn():
    named = {
        key: tf.placeholder(tf.int32, [None, LENGTH], name=key) for key in ("input_ids", "input_mask", "segment_ids")
    }
    return tf.estimator.export.build_raw_serving_input_receiver_fn(named)()


estimator._export_to_tpu = False  # as programs did before they exported for other devices
exported = estimator.export_savedmodel(os.path.join(base, "exported"), serving_input_fn)
predict = tf.contrib.predictor.from_saved_model(exported.decode())
ids = np.arange(1, 2 * LENGTH + 1).reshape(2, LENGTH)
served = predict({"input_ids": ids, "input_mask": np.ones_like(ids), "segment_ids": np.zeros_like(ids)})
results["served"] = served["probabilities"]
results["fed"] = {key: tensor.name for key, tensor in predict.feed_tensors.items()}

second = estimator_of("second", estimator.latest_checkpoint())
second.train(input_fn=input_fn_builder(train_file, True), max_steps=3)
results["fine tuned"] = second.get_variable_value("output_weights")
tuned = tf.estimator.train_and_evaluate(
    second,
    tf.estimator.TrainSpec(input_fn_builder(train_file, True), max_steps=7),
    tf.estimator.EvalSpec(input_fn_builder(eval_file, False), steps=None, throttle_secs=0, start_delay_secs=0),
)
results["train and evaluate"] = {key: np.asarray(value) for key, value in tuned[0].items()}
