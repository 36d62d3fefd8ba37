"""tf.keras.optimizers."""

HOMES = {
    "keras.optimizers.adadelta": "Adadelta",
    "keras.optimizers.adagrad": "Adagrad",
    "keras.optimizers.adam": "Adam",
    "keras.optimizers.adamax": "Adamax",
    "keras.optimizers.ftrl": "Ftrl",
    "keras.optimizers.gradient_descent": "SGD",
    "keras.optimizers.nadam": "Nadam",
    "keras.optimizers.rmsprop": "RMSprop",
    "keras.optimizers.serialization": "deserialize get serialize",
}

SPELLED = {
    "Optimizer": "keras.optimizers.optimizer_v2.OptimizerV2",
}

NESTED = {
    "schedules": {
        "keras.optimizers.learning_rate_schedule": "ExponentialDecay InverseTimeDecay LearningRateSchedule "
        "PiecewiseConstantDecay PolynomialDecay deserialize serialize",
    },
}
