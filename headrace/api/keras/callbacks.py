"""tf.keras.callbacks."""

HOMES: dict[str, str] = {
    "keras.callbacks.base": "Callback",
    "keras.callbacks.lambdas": "LambdaCallback",
    "keras.callbacks.learning_rates": "LearningRateScheduler ReduceLROnPlateau",
    "keras.callbacks.model_checkpoint": "ModelCheckpoint",
    "keras.callbacks.records": "BaseLogger CSVLogger History ProgbarLogger RemoteMonitor",
    "keras.callbacks.stopping": "EarlyStopping TerminateOnNaN",
    "keras.callbacks.tensorboard_v1": "TensorBoard",
}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
