"""Keras: epochs and steps of training, and predictions, of models made of layers."""

KERAS = True
BARS = {
    "MLP epoch": 0.6,
    "convnet epoch": 1.0,
    "train_on_batch, one row": 0.5,
    "predict, one row": 0.5,
    "fit from tf.data": 0.8,
    "fit from a Sequence": 0.8,
}


def workload(tf, np):
    keras = tf.keras
    state = np.random.RandomState(0)
    images = state.uniform(size=[6000, 784]).astype(np.float32)
    labels = state.randint(10, size=[6000]).astype(np.int32)
    small, small_labels = images[:1000].reshape([-1, 28, 28, 1]), labels[:1000]

    def mlp(optimizer="adam"):
        model = keras.Sequential(
            [
                keras.layers.Dense(128, activation="relu", input_shape=(784,)),
                keras.layers.Dropout(0.2),
                keras.layers.Dense(10, activation="softmax"),
            ]
        )
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def convnet():
        model = keras.Sequential(
            [
                keras.layers.Conv2D(16, 3, activation="relu", input_shape=(28, 28, 1)),
                keras.layers.MaxPooling2D(),
                keras.layers.Conv2D(32, 3, activation="relu"),
                keras.layers.BatchNormalization(),
                keras.layers.Flatten(),
                keras.layers.Dense(10, activation="softmax"),
            ]
        )
        model.compile("sgd", "sparse_categorical_crossentropy")
        return model

    class Rows(keras.utils.Sequence):
        def __len__(self):
            return 60

        def __getitem__(self, index):
            rows = slice(100 * index, 100 * index + 100)
            return images[rows], labels[rows]

    plain, pictures, one, data, sequence = mlp(), convnet(), mlp("sgd"), mlp(), mlp()
    row, label = images[:1], labels[:1]
    steps = {
        "MLP epoch": lambda: plain.fit(images, labels, batch_size=100, verbose=0),
        "convnet epoch": lambda: pictures.fit(small, small_labels, batch_size=50, verbose=0),
        "train_on_batch, one row": lambda: one.train_on_batch(row, label),
        "predict, one row": lambda: one.predict(row, verbose=0),
        "fit from a Sequence": lambda: sequence.fit(Rows(), verbose=0),
    }
    if hasattr(tf, "data"):
        dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(100).repeat()
        steps["fit from tf.data"] = lambda: data.fit(dataset, steps_per_epoch=60, verbose=0)
    return steps
