"""tf.contrib.learn.datasets: what ships, what is read from files, what is made up."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets import base, synthetic, text_datasets

learn = tf.contrib.learn.datasets
results = {}

for name in ("iris", "boston"):
    table = learn.load_dataset(name)
    results[name] = {
        "data": table.data[::3],
        "sum": table.data.sum(0),
        "target": table.target,
        "types": [str(table.data.dtype), str(table.target.dtype)],
        "fields": list(table._fields),
    }
results["names"] = sorted(learn.DATASETS) + sorted(learn.SYNTHETIC)

for name, options in (
    ("circles", {}),
    ("circles", {"n_samples": 11, "noise": 0.1, "n_classes": 3, "factor": 0.5}),
    ("spirals", {}),
    ("spirals", {"n_samples": 21, "noise": 0.05, "mode": "bernoulli", "exp_scale": 0.2}),
    ("spirals", {"n_samples": 20, "mode": "fermat", "n_loops": 1, "seed": 3}),
):
    made = learn.make_dataset(name, **options)
    key = name + str(sorted(options.items()))
    results[key] = {
        "data": made.data,
        "target": made.target,
        "types": [str(made.data.dtype), str(made.target.dtype)],
    }
np.random.seed(5)
results["unseeded"] = synthetic.circles(n_samples=5).data

folder = tempfile.mkdtemp()
path = os.path.join(folder, "table.csv")
with open(path, "w") as stream:
    stream.write("3,2,a,b\n1,2.5,0\n3,4.5,1\n5,6.5,0\n")
table = base.load_csv_with_header(path, np.int32, np.float32)
results["with_header"] = [table.data, table.target]
table = base.load_csv_with_header(path, np.float64, np.float32, target_column=0)
results["first_column"] = [table.data, table.target]
plain = os.path.join(folder, "plain.csv")
with open(plain, "w") as stream:
    stream.write('7,one,"two, three"\n8,x,y\n9,z,w\n10,q,p\n')
table = base.load_csv_without_header(plain, np.int32, str, target_column=0)
results["without_header"] = [table.data.tolist(), table.target]
base.shrink_csv(plain, 3)
with open(os.path.join(folder, "plain_small.csv")) as stream:
    results["small"] = stream.read().split()
fake = text_datasets.load_dbpedia(test_with_fake_data=True)
results["fake"] = [list(fake.train.data.shape), fake.train.target, list(fake.test.data.shape), fake.test.target]
results["validation"] = str(fake.validation)
results["there"] = base.maybe_download("table.csv", folder, "http://nowhere.invalid/") == path
shutil.rmtree(folder)

calls = []


@base.retry(0.0001, 0.001, is_retriable=lambda error: isinstance(error, KeyError))
def failing(kind):
    calls.append(kind.__name__)
    if len(calls) < 3:
        raise kind("no")
    return len(calls)


results["third time"] = failing(KeyError)
del calls[:]
for make in (
    lambda: failing(ValueError),
    lambda: base.retry(1, 2, factor=0.5),
    lambda: base.retry(1, 2, jitter=1.0),
    lambda: learn.load_dataset("none"),
    lambda: learn.make_dataset("none"),
    lambda: learn.make_dataset("spirals", mode="none"),
):
    try:
        make()
    except ValueError as error:
        results.setdefault("errors", []).append(type(error).__name__ + ": " + str(error))
