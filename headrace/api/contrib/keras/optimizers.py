"""tf.contrib.keras.optimizers, as it was before `tf.keras`."""

HOMES = {
    "keras.optimizers": "deserialize get serialize",
}

SPELLED = {
    "Adadelta": "keras.optimizers.update_rules.Adadelta",
    "Adagrad": "keras.optimizers.update_rules.Adagrad",
    "Adam": "keras.optimizers.update_rules.Adam",
    "Adamax": "keras.optimizers.update_rules.Adamax",
    "Nadam": "keras.optimizers.update_rules.Nadam",
    "Optimizer": "keras.optimizers.update_lists.Optimizer",
    "RMSprop": "keras.optimizers.update_rules.RMSprop",
    "SGD": "keras.optimizers.update_rules.SGD",
}
