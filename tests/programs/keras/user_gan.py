"""tf.keras: a generator and a discriminator of numbers, trained in turns on batches, the discriminator frozen in one."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras
layers = keras.layers

random = np.random.RandomState(4)


def fill(model):
    model.set_weights([random.uniform(-0.4, 0.4, w.shape) for w in model.get_weights()])


discriminator = keras.Sequential(
    [
        layers.Dense(8, input_shape=(2,)),
        layers.LeakyReLU(alpha=0.2),
        layers.Dense(1, activation="sigmoid"),
    ]
)
fill(discriminator)
discriminator.compile(
    loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.01, beta_1=0.5), metrics=["accuracy"]
)

generator = keras.Sequential(
    [
        layers.Dense(8, input_shape=(3,), use_bias=False),
        layers.BatchNormalization(momentum=0.8),
        layers.Activation("relu"),
        layers.Dense(2),
    ]
)
for index in (0, 3):
    weights = generator.layers[index].get_weights()
    generator.layers[index].set_weights([random.uniform(-0.4, 0.4, w.shape) for w in weights])

# Only the combined model takes it as frozen: the discriminator was compiled before.
discriminator.trainable = False
noise = keras.Input(shape=(3,))
combined = keras.Model(noise, discriminator(generator(noise)))
combined.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.01, beta_1=0.5))
results["trained_by_combined"] = len(combined.trainable_weights)
results["collected"] = len(discriminator._collected_trainable_weights)

losses = []
for _ in range(5):
    real = random.randn(16, 2) * 0.3 + [1.0, -1.0]
    fake = generator.predict(random.randn(16, 3))
    before = discriminator.get_weights()
    on_real = discriminator.train_on_batch(real, np.ones((16, 1)))
    on_fake = discriminator.train_on_batch(fake, np.zeros((16, 1)))
    frozen = discriminator.get_weights()
    of_generator = combined.train_on_batch(random.randn(16, 3), np.ones((16, 1)))
    losses.append([float(v) for v in (*on_real, *on_fake, of_generator)])
results["losses"] = losses
results["discriminator_learned"] = bool(any(np.any(a != b) for a, b in zip(before, frozen)))
results["combined_left_it"] = bool(all(np.array_equal(a, b) for a, b in zip(frozen, discriminator.get_weights())))
results["generated"] = generator.predict(np.eye(3))
results["moving_mean"] = generator.layers[1].get_weights()[2]
