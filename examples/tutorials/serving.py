# %% [markdown]
# # Serving a model
#
# A trained model is exported once and asked many times, by programs that know nothing of graphs. `headrace serve` speaks the
# protocol of TensorFlow Serving, over REST and gRPC, so that clients written for that server need no change.

# %%
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import numpy as np

import headrace as tf

# %% [markdown]
# ## Export
#
# A SavedModel is the graph, its variables, and signatures: names for what goes in and what comes out. The server looks for
# folders named by version numbers.

# %%
base = tempfile.mkdtemp()


def export(version, factor):
    """A model that predicts factor * x + 2."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")
        slope = tf.get_variable("slope", initializer=factor)
        y = tf.add(slope * x, 2.0, name="y")
        sess.run(tf.global_variables_initializer())
        unfinished = os.path.join(base, "unfinished")
        tf.saved_model.simple_save(sess, unfinished, {"x": x}, {"y": y})
    os.rename(unfinished, os.path.join(base, str(version)))  # so that no half of a model is ever seen


export(1, 0.5)
print(os.listdir(base))

# %% [markdown]
# ## The server

# %%
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
server = subprocess.Popen(
    [sys.executable, "-m", "headrace", "serve", "--model_base_path", base, "--model_name", "half"]
    + ["--host", "127.0.0.1", "--rest_api_port", str(port), "--port", "0"],
    stderr=subprocess.DEVNULL,
)
root = "http://127.0.0.1:%d" % port


def ask(path, body=None):
    """What the server answers: a GET, or a POST of a body as JSON."""
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(root + path, data, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def wait_for(path, wanted):
    """Asks until the answer is as wanted."""
    for _ in range(300):
        try:
            found = ask(path)
        except OSError:
            found = None
        if found is not None and wanted(found):
            return found
        time.sleep(0.2)
    raise TimeoutError(path)


state = wait_for("/v1/models/half", lambda answer: answer[0] == 200)
print(state)

# %% [markdown]
# ## Questions
#
# Rows, or columns:

# %%
print(ask("/v1/models/half:predict", {"instances": [1.0, 2.0, 5.0]}))
print(ask("/v1/models/half:predict", {"inputs": {"x": [1.0, 2.0, 5.0]}}))

# %% [markdown]
# What does not fit gets a reason:

# %%
print(ask("/v1/models/half:predict", {"instances": ["one"]}))
print(ask("/v1/models/double:predict", {"instances": [1.0]}))

# %% [markdown]
# ## A new version
#
# The folder is watched. A new version is loaded first and then takes over; no request is lost in between.

# %%
export(2, 10.0)
wait_for("/v1/models/half/versions/2", lambda answer: answer[0] == 200)
state = wait_for("/v1/models/half", lambda answer: answer[1]["model_version_status"][0]["state"] == "AVAILABLE")
print(ask("/v1/models/half:predict", {"instances": [1.0, 2.0, 5.0]}))

# %% [markdown]
# ## How fast?

# %%
durations = []
for _ in range(300):
    begin = time.perf_counter()
    ask("/v1/models/half:predict", {"instances": [1.0, 2.0, 5.0]})
    durations.append(1e3 * (time.perf_counter() - begin))
print("median: %.1f ms" % np.median(durations))

server.terminate()
print("exit code", server.wait(60))

# %% [markdown]
# `http://localhost:8501/` in a browser shows the signatures with a form to try them. [Serving](../serving.md) has the flags,
# batching, gRPC, TLS, and recipes for Docker, systemd and Kubernetes.
