"""`tf.test`: what tests of graphs use."""

HOMES = {
    "autodiff.checker": "compute_gradient compute_gradient_error",
    "platform.devices": "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_gpu_available",
    "platform.benchmark": "benchmark_config",
    "platform.googletest": "StubOutForTesting",
    "platform.test_case": "TestCase get_temp_dir main test_src_dir_path",
    "platform.test_util": "assert_equal_graph_def create_local_cluster",
}

SPELLED: dict[str, str] = {
    "Benchmark": "platform.benchmark.TensorFlowBenchmark",
    "mock": "platform.mock",
}
