"""tf.estimator.tpu: estimators written for TPUs, on the devices of this machine."""

HOMES = {
    "estimator.tpu.config": "InputPipelineConfig RunConfig TPUConfig",
    "estimator.tpu.estimator": "TPUEstimator",
    "estimator.tpu.spec": "TPUEstimatorSpec",
}
