"""Whole models of Keras: training the ResNet-20 for CIFAR (https://arxiv.org/abs/1512.03385) by `fit`, making and compiling
the ResNet-50 of `tf.keras.applications`, and loading a model of 100 MB."""

import os
import tempfile

KERAS = True
BARS = {"ResNet-20 fit, one step": 0.8, "build and compile ResNet-50": 0.4, "load_model, 100 MB": 1.0}


def workload(tf, np):
    keras = tf.keras
    layers = keras.layers
    state = np.random.RandomState(0)
    images = state.uniform(-1.0, 1.0, size=[32, 32, 32, 3]).astype(np.float32)
    labels = state.randint(10, size=[32]).astype(np.int32)

    def conv(x, filters, strides=1, size=3):
        return layers.Conv2D(
            filters,
            size,
            strides=strides,
            padding="same",
            kernel_initializer="he_normal",
            kernel_regularizer=keras.regularizers.l2(1e-4),
        )(x)

    def resnet20():
        inputs = keras.Input((32, 32, 3))
        net = layers.Activation("relu")(layers.BatchNormalization()(conv(inputs, 16)))
        for stage, filters in enumerate((16, 32, 64)):
            for unit in range(3):
                strides = 2 if stage and not unit else 1
                inner = layers.Activation("relu")(layers.BatchNormalization()(conv(net, filters, strides)))
                inner = layers.BatchNormalization()(conv(inner, filters))
                shortcut = conv(net, filters, 2, 1) if strides == 2 else net
                net = layers.Activation("relu")(layers.add([inner, shortcut]))
        outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(net))
        model = keras.Model(inputs, outputs)
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def build():
        keras.backend.clear_session()
        keras.applications.ResNet50(weights=None).compile("sgd", "categorical_crossentropy")

    def load(folder):
        keras.backend.clear_session()
        keras.models.load_model(os.path.join(folder.name, "model.h5"))

    folder = tempfile.TemporaryDirectory()
    wide = keras.Sequential([layers.Dense(2500, input_shape=(2500,))] + [layers.Dense(2500) for _ in range(3)])
    wide.save(os.path.join(folder.name, "model.h5"))

    trained = resnet20()
    # What begins with a session of its own ends the others', so training comes first.
    return {
        "ResNet-20 fit, one step": lambda: trained.fit(images, labels, batch_size=32, verbose=0),
        "build and compile ResNet-50": build,
        "load_model, 100 MB": lambda: load(folder),
    }
