"""An ExportMonitor that comes more often than checkpoints do says so."""

import logging
import os
import tempfile

import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
folder = tempfile.mkdtemp()
told = []


class Kept(logging.Handler):
    def emit(self, record):
        if record.getMessage().startswith("Skipping"):
            told.append(record.getMessage())


logging.getLogger("tensorflow").addHandler(Kept())
tf.logging.set_verbosity(tf.logging.INFO)
x = np.float32([[1], [2], [3], [4]])
estimator = learn.LinearRegressor([tf.contrib.layers.real_valued_column("", 1)], model_dir=os.path.join(folder, "m"))
monitor = learn.monitors.ExportMonitor(
    every_n_steps=1,
    export_dir=os.path.join(folder, "e"),
    signature_fn=tf.contrib.learn.utils.export.generic_signature_fn,
)
estimator.fit(x, 2 * x[:, 0], steps=4, monitors=[monitor])
results = {"told": told, "folders": sorted(os.listdir(os.path.join(folder, "e")))}
