"""tf.compat.v2.keras.callbacks: the names that mean the same in 1.x, and those that TensorFlow 2 means otherwise."""

HOMES = {
    "keras.callbacks": "BaseLogger CSVLogger Callback EarlyStopping History LambdaCallback "
    "LearningRateScheduler ModelCheckpoint ProgbarLogger ReduceLROnPlateau RemoteMonitor "
    "TerminateOnNaN",
}

SPELLED = {
    "TensorBoard": "keras.callbacks.tensorboard_v2.TensorBoard",
}
