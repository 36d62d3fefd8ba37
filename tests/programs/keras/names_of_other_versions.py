"""tf.compat.v2.keras and tf.contrib.keras: which names are those of tf.keras, and what the others are."""

import numpy as np
import tensorflow as tf

results = {}
v1, v2, contrib = tf.compat.v1.keras, tf.compat.v2.keras, tf.contrib.keras

SAME = {
    "layers": "Dense Conv2D Embedding Bidirectional SimpleRNN RNN Lambda LayerNormalization Attention",
    "losses": "mean_squared_error Huber get",
    "metrics": "Mean AUC get",
    "optimizers": "SGD Adam get",
    "models": "Model Sequential load_model",
    "utils": "to_categorical Sequence get_file",
    "callbacks": "EarlyStopping ModelCheckpoint",
    "backend": "rnn function learning_phase",
    "applications": "VGG16 MobileNetV2",
}
OTHERS = {
    "layers": "BatchNormalization GRU GRUCell LSTM LSTMCell",
    "initializers": "RandomNormal VarianceScaling glorot_uniform zeros",
    "callbacks": "TensorBoard",
}
for module in sorted(SAME):
    for name in SAME[module].split():
        results["v2 %s.%s" % (module, name)] = getattr(getattr(v2, module), name) is getattr(getattr(v1, module), name)
for module in sorted(OTHERS):
    for name in OTHERS[module].split():
        results["other %s.%s" % (module, name)] = getattr(getattr(v2, module), name) is getattr(
            getattr(v1, module), name
        )
for name, module in [("layers", "CuDNNLSTM"), ("backend", "get_session"), ("initializers", "normal")]:
    results["not in v2: %s.%s" % (name, module)] = hasattr(getattr(v2, name), module)
results["beside"] = [tf.compat.v2.optimizers.Adam is v2.optimizers.Adam, tf.compat.v2.losses.Huber is v2.losses.Huber]
for name in ["BatchNormalization", "GRU", "LSTM"]:
    arguments = [] if name == "BatchNormalization" else [3]
    config = getattr(v2.layers, name)(*arguments, name="mine").get_config()
    results["settings of %s" % name] = {key: str(config[key]) for key in sorted(config)}
results["reductions"] = [v2.losses.Reduction.AUTO, v2.losses.Reduction.SUM, v2.losses.Reduction.NONE]

results["in contrib"] = [
    contrib.layers.Dense is tf.keras.layers.Dense,
    contrib.models.Sequential is tf.keras.models.Sequential,
    contrib.optimizers.SGD is tf.keras.optimizers.SGD,
    contrib.callbacks.TensorBoard is v2.callbacks.TensorBoard,
]
x = np.arange(12.0).reshape(4, 3) / 10
for name in ["SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam"]:
    model = contrib.models.Sequential([contrib.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    model.compile(getattr(contrib.optimizers, name)(lr=0.05), "mse")
    history = model.fit(x, np.ones((4, 1)), epochs=3, shuffle=False, verbose=0).history
    config = model.optimizer.get_config()
    results["contrib " + name] = [
        [round(float(value), 4) for value in history["loss"]],
        {key: round(float(config[key]), 5) for key in sorted(config) if not isinstance(config[key], bool)},
    ]
