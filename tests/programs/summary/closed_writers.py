"""What a closed writer of summaries warns of."""

import tempfile
import warnings

import numpy as np
import tensorflow as tf

results = {}
writer = tf.summary.FileWriter(tempfile.mkdtemp())
writer.close()
said = []
for name, attempt in (
    ("summary", lambda: writer.add_summary(tf.Summary(), 1)),
    ("graph", lambda: writer.add_graph(tf.get_default_graph())),
    ("event", lambda: writer.add_event(tf.Event())),
    ("log", lambda: writer.add_session_log(tf.SessionLog(), 1)),
    ("flush", writer.flush),
    ("close", writer.close),
    ("reopen", writer.reopen),
    ("flush again", writer.flush),
):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attempt()
    said.append(f"{name} {[each.category.__name__ for each in caught]}")
results["warnings"] = np.array(said)
