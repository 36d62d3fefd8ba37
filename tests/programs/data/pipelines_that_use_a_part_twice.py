"""Datasets that stand twice in one pipeline: what each of the two places draws."""

import numpy as np
import tensorflow as tf

results = {}


def shuffled(**others):
    return tf.data.Dataset.range(6).shuffle(4, seed=5, **others)


def drawn():
    return tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], maxval=99, dtype=tf.int32, seed=4))


def beside(dataset):
    return tf.data.Dataset.zip((dataset, dataset)).map(lambda first, second: tf.stack([first, second]))


def after(dataset):
    return dataset.concatenate(dataset.map(lambda x: x + 100)).concatenate(dataset.take(2))


def in_turn(dataset):
    turns = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1, 0, 1], np.int64))
    return tf.data.experimental.choose_from_datasets([dataset, dataset.repeat(2)], turns)


def without_rewrites(dataset):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


pipelines = {
    "shuffled, beside": lambda: beside(shuffled()),
    "shuffled, beside twice": lambda: beside(beside(shuffled())),
    "shuffled, beside what was after": lambda: beside(after(shuffled().map(lambda x: x * 2))),
    "drawn, beside twice": lambda: beside(beside(drawn())),
    "shuffled, after": lambda: after(shuffled()),
    "shuffled, in turn": lambda: in_turn(shuffled()),
    "shuffled once for all": lambda: after(shuffled(reshuffle_each_iteration=False)),
    "shuffled and repeated": lambda: after(shuffled().repeat(2)),
    "shuffled and kept": lambda: after(shuffled().cache()),
    "shuffled, then drawn from": lambda: tf.data.experimental.sample_from_datasets([shuffled(), shuffled()], seed=2),
    "drawn, beside": lambda: beside(drawn()),
    "drawn, after": lambda: after(drawn()),
    "two in turn by chance": lambda: (lambda d: tf.data.experimental.sample_from_datasets([d, d], seed=2))(shuffled()),
    "without rewrites": lambda: without_rewrites(after(shuffled())),
    "kept without rewrites": lambda: without_rewrites(after(shuffled().cache())),
    "drawn and kept without rewrites": lambda: without_rewrites(after(drawn().cache())),
    "drawn without rewrites": lambda: without_rewrites(after(drawn())),
}
for name, made in pipelines.items():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        iterator = tf.data.make_initializable_iterator(made())
        following = iterator.get_next()
        with tf.Session() as session:
            for turn in range(2):
                session.run(iterator.initializer)
                found = []
                while True:
                    try:
                        found.append(session.run(following))
                    except tf.errors.OutOfRangeError:
                        break
                results["%s, %d" % (name, turn)] = np.array(found)
