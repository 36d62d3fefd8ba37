"""tf.compat.v2.keras.optimizers: the names that mean the same in 1.x."""

HOMES = {
    "keras.optimizers": "Adadelta Adagrad Adam Adamax Ftrl Nadam Optimizer RMSprop SGD deserialize get serialize",
}

NESTED = {
    "schedules": {
        "keras.optimizers.schedules": "ExponentialDecay InverseTimeDecay LearningRateSchedule PiecewiseConstantDecay "
        "PolynomialDecay deserialize serialize"
    },
}
