# %% [markdown]
# # Wide and deep, with estimators
#
# An estimator takes a program's chores away: the loop, checkpoints, summaries, evaluation, export. What remains to be said
# is the input, the features, and the model. This page trains the wide and deep model (Cheng et al., *Wide & Deep Learning
# for Recommender Systems*, 2016) on rows that look like a census: who earns more than the median?

# %%
import json
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import headrace as tf

tf.logging.set_verbosity(tf.logging.ERROR)
state = np.random.RandomState(17)
OCCUPATIONS = ["clerk", "driver", "nurse", "farmer", "teacher", "engineer", "manager", "lawyer"]
PAY = dict(zip(OCCUPATIONS, [28.0, 30.0, 38.0, 24.0, 41.0, 60.0, 58.0, 66.0]))


def people(count):
    """Columns of features, and whether each person earns more than 42."""
    occupation = state.choice(OCCUPATIONS, size=count)
    age = state.randint(18, 70, size=count).astype(np.float32)
    schooling = np.clip(state.normal(12, 3, size=count), 4, 20).astype(np.float32)
    city = state.choice(["yes", "no"], size=count)
    bonus = np.where((occupation == "farmer") & (city == "no"), 20.0, 0.0)  # what only a crossing of columns can know
    pay = np.array([PAY[name] for name in occupation]) + bonus
    pay = pay + 1.2 * (schooling - 12) - 0.012 * (age - 48) ** 2 + state.normal(scale=4, size=count)
    features = {"occupation": occupation, "age": age, "schooling": schooling, "city": city}
    return features, (pay > 42).astype(np.int64)


# %% [markdown]
# ## Features
#
# Feature columns say what the raw values mean. The wide part is linear over categories, buckets and crossings, and remembers
# combinations; the deep part is a net over embeddings and numbers, and generalizes.

# %%
column = tf.feature_column
occupation = column.categorical_column_with_vocabulary_list("occupation", OCCUPATIONS)
city = column.categorical_column_with_vocabulary_list("city", ["yes", "no"])
age = column.numeric_column("age")
ages = column.bucketized_column(age, [25, 32, 40, 48, 56, 64])
crossed = column.crossed_column(["occupation", "city"], hash_bucket_size=100)

wide = [occupation, ages, crossed]
deep = [
    column.embedding_column(occupation, dimension=4),
    column.indicator_column(city),
    column.numeric_column("age", normalizer_fn=lambda x: (x - 44.0) / 15.0),
    column.numeric_column("schooling", normalizer_fn=lambda x: (x - 12.0) / 3.0),
]

# %% [markdown]
# ## Input
#
# An input function builds the input's part of the graph when the estimator asks for it.

# %%
train_features, train_labels = people(8000)
test_features, test_labels = people(2000)


def train_input():
    rows = tf.data.Dataset.from_tensor_slices((train_features, train_labels))
    return rows.shuffle(8000, seed=1).repeat().batch(100)


def test_input():
    return tf.data.Dataset.from_tensor_slices((test_features, test_labels)).batch(500)


# %% [markdown]
# ## Training and evaluation, in turns
#
# `train_and_evaluate` trains, writes checkpoints, and evaluates after each. With `TF_CONFIG` in the environment the same
# call is one task of a cluster ([many machines](clusters.md)).

# %%
folder = tempfile.mkdtemp()
config = tf.estimator.RunConfig(model_dir=folder, tf_random_seed=1, save_checkpoints_steps=100, save_summary_steps=50)
estimator = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=wide,
    dnn_feature_columns=deep,
    dnn_hidden_units=[32, 16],
    linear_optimizer=tf.train.FtrlOptimizer(0.1),
    dnn_optimizer=tf.train.AdagradOptimizer(0.05),
    config=config,
)
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(train_input, max_steps=600),
    tf.estimator.EvalSpec(test_input, steps=None, start_delay_secs=0, throttle_secs=0),
)
results = estimator.evaluate(test_input)
print({name: round(float(value), 3) for name, value in sorted(results.items())})

# %% [markdown]
# ## What it has learned
#
# Variables are reached by name. The crossing knows the farmers:

# %%
print([name for name in estimator.get_variable_names() if name.endswith("weights")])

ask = {
    "occupation": np.array(["farmer", "farmer", "clerk", "clerk"]),
    "city": np.array(["no", "yes", "no", "yes"]),
    "age": np.full(4, 48.0, np.float32),
    "schooling": np.full(4, 12.0, np.float32),
}
predict_input = tf.estimator.inputs.numpy_input_fn(ask, shuffle=False)
chances = [float(row["logistic"][0]) for row in estimator.predict(predict_input)]
labels = [
    "%s,\n%s" % (name, "city" if yes == "yes" else "country") for name, yes in zip(ask["occupation"], ask["city"])
]
plt.figure(figsize=(5, 2.5))
plt.bar(labels, chances)
plt.ylabel("earns more than 42")
plt.show()

# %% [markdown]
# ## Export
#
# A SavedModel that takes `tf.Example` records, in a folder named by the time of its making.
# [Serving](serving.md) shows who reads it.

# %%
receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(column.make_parse_example_spec(wide + deep))
exported = estimator.export_savedmodel(tempfile.mkdtemp(), receiver).decode()
with tf.Session(graph=tf.Graph()) as sess:
    signatures = tf.saved_model.loader.load(sess, ["serve"], exported).signature_def
print(json.dumps({name: sorted(signature.outputs) for name, signature in sorted(signatures.items())}, indent=1))
