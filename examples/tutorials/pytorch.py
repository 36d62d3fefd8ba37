# %% [markdown]
# # A model moves on: PyTorch, ONNX, safetensors
#
# The graph that was trained in 2017 does not have to stay where it is. Headrace computes on PyTorch's tensors, so a graph can
# be handed over whole: as an `nn.Module` that is trained on, as an ONNX file for another runtime, as a file of weights.

# %%
import tempfile

import numpy as np
import onnxruntime
import torch
from safetensors.torch import load_file, save_file

import headrace as tf
import headrace.torch

# %% [markdown]
# ## The model of then
#
# Trained and saved as such programs do; from here on only its files are used.

# %%
folder = tempfile.mkdtemp()
state = np.random.RandomState(2)
rows = state.normal(size=[512, 6]).astype(np.float32)
answers = np.sin(rows[:, :1]) + rows[:, 1:2] * rows[:, 2:3]

tf.set_random_seed(2)
x = tf.placeholder(tf.float32, [None, 6], name="x")
hidden = tf.layers.dense(x, 32, tf.nn.tanh, name="hidden")
y = tf.layers.dense(hidden, 1, name="answer")
loss = tf.losses.mean_squared_error(answers, y)
train = tf.train.AdamOptimizer(0.01).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(300):
        sess.run(train, {x: rows})
    print("loss then: %.4f" % sess.run(loss, {x: rows}))
    then = sess.run(y, {x: rows})
    tf.saved_model.simple_save(sess, folder + "/model", {"x": x}, {"y": y})

# %% [markdown]
# ## As a module
#
# What the outputs need of the graph becomes a module: its parameters are the variables, with "__" for the "/" in their
# names, and its forward is the plan that a session would run.

# %%
graph = tf.Graph()
with tf.Session(graph=graph) as sess:
    tf.saved_model.loader.load(sess, ["serve"], folder + "/model")
    signature_y = graph.get_tensor_by_name("answer/BiasAdd:0")
    module = headrace.torch.to_module({"y": signature_y}, [graph.get_tensor_by_name("x:0")], sess)
print([name for name, _ in module.named_parameters()])
now = module(torch.from_numpy(rows))["y"]
print("largest difference:", float((now.detach() - torch.from_numpy(then)).abs().max()))

# %% [markdown]
# Training goes on with an optimizer of PyTorch:

# %%
optimizer = torch.optim.AdamW(module.parameters(), lr=3e-3)
target = torch.from_numpy(answers)
for _ in range(300):
    optimizer.zero_grad()
    error = torch.nn.functional.mse_loss(module(torch.from_numpy(rows))["y"], target)
    error.backward()
    optimizer.step()
print("loss now: %.4f" % error.item())

# %% [markdown]
# ## As ONNX
#
# The batch stays free, and the axes have names.

# %%
headrace.torch.to_onnx(module, folder + "/model.onnx")

runtime = onnxruntime.InferenceSession(folder + "/model.onnx")
for value in runtime.get_inputs() + runtime.get_outputs():
    print(value.name, value.shape, value.type)
elsewhere = runtime.run(None, {runtime.get_inputs()[0].name: rows[:3]})[0]
print(np.abs(elsewhere - module(torch.from_numpy(rows[:3]))["y"].detach().numpy()).max() < 1e-5)

# %% [markdown]
# ## As weights
#
# A file of named tensors, without any code in it. The command line does the same: `headrace convert MODEL --to
# torch|onnx|safetensors -o FILE`.

# %%
save_file({name: value.contiguous() for name, value in module.state_dict().items()}, folder + "/model.safetensors")
for name, value in load_file(folder + "/model.safetensors").items():
    print(name, tuple(value.shape))

# %% [markdown]
# ## And back
#
# Weights that PyTorch has trained become a checkpoint again, under the variables' own names, which `tf.train.Saver` restores,
# in TensorFlow 1.15 too:

# %%
headrace.torch.to_checkpoint(module.named_variables(), folder + "/back")
for name, shape in tf.train.list_variables(folder + "/back"):
    print(name, shape)
