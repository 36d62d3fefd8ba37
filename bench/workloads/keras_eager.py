"""Keras executed eagerly: a training loop of the program's own, with a subclassed model and `tf.GradientTape`."""

KERAS = True
BARS = {"subclassed model, GradientTape": 0.7, "layers called one by one": 0.7}


def workload(tf, np):
    if hasattr(tf, "enable_eager_execution"):
        tf.enable_eager_execution()
    keras = tf.keras
    tensor_of = tf.constant if hasattr(tf, "constant") else keras.ops.convert_to_tensor
    state = np.random.RandomState(0)
    images = tensor_of(state.uniform(size=[32, 64]).astype(np.float32))
    labels = tensor_of(state.randint(10, size=[32]).astype(np.int32))

    class Network(keras.Model):
        def __init__(self):
            super(Network, self).__init__()
            self.hidden = [keras.layers.Dense(64, activation="relu") for _ in range(3)]
            self.norm = keras.layers.BatchNormalization()
            self.drop = keras.layers.Dropout(0.2)
            self.last = keras.layers.Dense(10)

        def call(self, x, training=None):
            for layer in self.hidden:
                x = layer(x)
            return self.last(self.drop(self.norm(x, training=training), training=training))

    model, optimizer = Network(), keras.optimizers.Adam(0.001)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def train():
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))

    def train_on_torch():
        # Keras 3 leaves gradients to the library it runs on.
        import torch

        model.zero_grad()
        loss_of(labels, model(images, training=True)).backward()
        with torch.no_grad():
            optimizer.apply([weight.value.grad for weight in model.trainable_weights], model.trainable_weights)

    plain = [keras.layers.Dense(64, activation="tanh") for _ in range(4)]

    def call_layers():
        x = images
        for layer in plain:
            x = layer(x)

    if not hasattr(tf, "GradientTape"):
        train = train_on_torch
    return {"subclassed model, GradientTape": train, "layers called one by one": call_layers}
