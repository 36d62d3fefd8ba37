"""tf.contrib.keras.callbacks, as it was before `tf.keras`."""

HOMES = {
    "keras.callbacks": "BaseLogger CSVLogger Callback EarlyStopping History LambdaCallback "
    "LearningRateScheduler ModelCheckpoint ProgbarLogger ReduceLROnPlateau RemoteMonitor "
    "TerminateOnNaN",
}

SPELLED = {
    "TensorBoard": "keras.callbacks.tensorboard_v2.TensorBoard",
}
