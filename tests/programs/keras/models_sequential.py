"""Sequential models: built as layers are added, when called, or by `build`; taking layers away."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras


def table(model):
    lines = []
    model.summary(print_fn=lines.append)
    return lines


def state(model):
    found = {
        "built": model.built,
        "layers": [layer.name for layer in model.layers],
        "inputs": [t.name for t in model.inputs or []],
        "outputs": [t.name for t in model.outputs or []],
    }
    if model.built:
        found["weights"] = [v.name for v in model.weights]
        found["table"] = table(model)
    return found


first = keras.Sequential([keras.layers.Dense(3, input_shape=(4,)), keras.layers.Activation("relu")])
results["with shape"] = state(first)
first.add(keras.layers.Dense(2, name="last"))
results["added"] = state(first)
first.pop()
results["popped"] = state(first)
results["json"] = first.to_json()
again = keras.models.model_from_json(first.to_json())
results["from json"] = [again.name, state(again)["table"]]

results["with input layer"] = state(keras.Sequential([keras.layers.InputLayer((4,)), keras.layers.Dense(2)]))
results["with input"] = state(keras.Sequential([keras.Input((4,), name="here"), keras.layers.Dense(2)]))
results["batch shape"] = str(keras.Sequential([keras.layers.Dense(1, batch_input_shape=(7, 4))]).output_shape)
results["embedded"] = state(keras.Sequential([first, keras.layers.Dense(1)]))

late = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)], name="late")
results["late"] = state(late)
results["late settings"] = [layer["class_name"] for layer in late.get_config()["layers"]]
results["late shape"] = late.compute_output_shape((5, 4)).as_list()
late.build((None, 4))
results["late built"] = state(late)
results["late json"] = late.to_json()
called = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)], name="called")
results["call"] = called(tf.placeholder("float32", [None, 4])).name
results["called"] = [v.name for v in called.weights]
empty = keras.Sequential(name="empty")
results["empty"] = state(empty)
copy = keras.models.clone_model(first)
copy.set_weights(first.get_weights())
x = np.random.RandomState(0).randn(3, 4).astype("float32")
session = keras.backend.get_session()
results["same"] = bool(
    np.allclose(session.run(copy.outputs[0], {copy.inputs[0]: x}), session.run(first.outputs[0], {first.inputs[0]: x}))
)
results["clone"] = state(copy)

masked = keras.Sequential([keras.layers.Embedding(5, 3, mask_zero=True, input_length=4), keras.layers.LSTM(2)])
results["mask"] = [
    str(layer.output_mask) if layer.output_mask is None else layer.output_mask.name for layer in masked.layers
]
results["masked table"] = table(masked)
