"""Graphs of layers: names, tables, settings, shared layers, models in models, operations as layers, copies."""

import json

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras


def table(model, **kwargs):
    lines = []
    model.summary(print_fn=lines.append, **kwargs)
    return lines


def described(model):
    return {
        "name": model.name,
        "layers": [layer.name for layer in model.layers],
        "inputs": [t.name for t in model.inputs],
        "outputs": [t.name for t in model.outputs],
        "input names": model.input_names,
        "output names": model.output_names,
        "weights": [v.name for v in model.weights],
        "trainable": [v.name for v in model.trainable_weights],
        "fixed": [v.name for v in model.non_trainable_weights],
        "shapes": [str(model.input_shape), str(model.output_shape)],
        "table": table(model),
        "losses": [t.name for t in model.losses],
        "updates": len(model.updates),
    }


def values(model, *arrays):
    session = keras.backend.get_session()
    for number, variable in enumerate(model.weights):
        r = np.random.RandomState(number)
        keras.backend.set_value(variable, r.uniform(0.1, 0.9, variable.shape.as_list()))
    return session.run(model.outputs, dict(zip(model.inputs, arrays)))


R = np.random.RandomState(3)
A, B = R.randn(4, 6).astype("float32"), R.randn(4, 3).astype("float32")

# Two inputs, a shared layer, operations between layers, several outputs.
a = keras.Input((6,), name="a")
b = keras.layers.Input((3,))
shared = keras.layers.Dense(5, activation="relu")
x = shared(a)
y = keras.layers.Dense(5, kernel_regularizer=keras.regularizers.l2(0.1))(b)
z = keras.layers.Add()([x, y])
again = shared(tf.concat([z, z[:, :1]], 1) * 2.0 + 1.0)
model = keras.Model([a, b], [again, z, x], name="two")
results["two"] = described(model)
results["wide table"] = table(model, line_length=120, positions=[0.3, 0.6, 0.7, 1.0])
results["values"] = values(model, A, B)
results["call on others"] = [
    t.name for t in model([tf.placeholder("float32", [None, 6]), tf.placeholder("float32", [None, 3])])
]
results["nodes"] = [len(shared.inbound_nodes), len(shared.outbound_nodes), str(shared.get_input_shape_at(1))]
results["layers"] = [model.get_layer("dense").name, model.get_layer(index=2).name]
rebuilt = keras.Model.from_config(json.loads(json.dumps(model.get_config(), default=lambda v: np.asarray(v).tolist())))
results["rebuilt"] = [[layer.name for layer in rebuilt.layers], rebuilt.output_names, table(rebuilt)]
tf.reset_default_graph()
keras.backend.clear_session()

# Models in models, layers with state, dropout, freezing.
inner = keras.Sequential([keras.layers.Dense(4, input_shape=(6,)), keras.layers.BatchNormalization()], name="inner")
i = keras.Input((6,))
h = keras.layers.Dropout(0.5)(inner(i))
outer = keras.Model(i, [keras.layers.Dense(2, name="out")(h), inner(keras.layers.Dense(6)(h))])
results["outer"] = described(outer)
results["json"] = outer.to_json()
results["outer values"] = values(outer, A)
from_json = keras.models.model_from_json(outer.to_json())
results["from json"] = [
    [layer.name for layer in from_json.layers],
    table(from_json),
    from_json.to_json() == outer.to_json(),
]
inner.trainable = False
results["frozen"] = [[v.name for v in outer.trainable_weights], table(outer)[-4:], len(outer.updates)]
outer.trainable = True
inner.layers[0].trainable = False
results["partly frozen"] = [[v.name for v in outer.trainable_weights], [v.name for v in outer.non_trainable_weights]]
results["counts"] = [outer.count_params(), inner.count_params(), len(outer.get_weights())]
copied = keras.models.clone_model(outer)
copied.set_weights(outer.get_weights())
results["clone"] = [copied.name, [layer.name for layer in copied.layers], [v.name for v in copied.weights]]
results["clone values"] = keras.backend.get_session().run(copied.outputs, {copied.inputs[0]: A})
on_tensor = keras.models.clone_model(outer, input_tensors=tf.ones((2, 6)))
results["clone on a tensor"] = [[layer.name for layer in on_tensor.layers], on_tensor._feed_input_names]
seen = []


def same(layer):
    seen.append(layer.name)
    return layer.__class__.from_config(layer.get_config())


keras.models.clone_model(outer, clone_function=same)
results["clone function"] = seen
keras.backend.clear_session()

# Losses and metrics of tensors of the model.
i = keras.Input((6,))
d = keras.layers.Dense(3, activity_regularizer=keras.regularizers.l1(0.1))
o = d(i)
m = keras.Model(i, o)
m.add_loss(tf.reduce_mean(o))
m.add_loss(lambda: tf.reduce_sum(d.kernel))
m.add_metric(tf.reduce_max(o), name="largest", aggregation="mean")
results["added"] = [len(m.losses), [metric.name for metric in m.metrics], table(m)]
results["conditional"] = [len(m.get_losses_for(None)), len(m.get_losses_for(i)), len(m.get_losses_for(m.inputs))]
c = keras.models.clone_model(m)
results["added clone"] = [len(c.losses), [metric.name for metric in c.metrics], [layer.name for layer in c.layers]]
results["source"] = [t.name for t in keras.utils.get_source_inputs(o)]
m(keras.Input((6,)))
results["called again"] = [len(m.losses), len(d.inbound_nodes)]
keras.backend.clear_session()

# Names begin again; a dictionary of inputs; layers on plain placeholders in the program's own session.
results["names"] = [keras.layers.Dense(1).name, keras.layers.Dense(1).name, keras.layers.Input((2,)).name]
keras.backend.reset_uids()
results["names again"] = [keras.layers.Dense(1).name, keras.layers.Conv2D(1, 1).name]
p = tf.placeholder("float32", [None, 6])
dense = keras.layers.Dense(2, kernel_initializer="ones")
q = dense(p)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    results["plain"] = [q.name, session.run(q, {p: A}), [v.name for v in tf.trainable_variables()]]
results["input settings"] = keras.Input(
    (2, None), batch_size=3, name="w", dtype="int32"
)._keras_history.layer.get_config()
