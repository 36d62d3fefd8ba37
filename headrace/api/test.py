"""`tf.test`: what tests of graphs use."""

HOMES = {
    "autodiff.checker": "compute_gradient compute_gradient_error",
    "platform.devices": "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_gpu_available",
    "platform.test_case": "TestCase get_temp_dir main",
}

SPELLED: dict[str, str] = {
    "mock": "platform.mock",
}
