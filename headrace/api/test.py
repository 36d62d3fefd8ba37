"""`tf.test`: what tests of graphs use."""

HOMES = {
    "autodiff.checker": "compute_gradient compute_gradient_error",
    "devices.listing": "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_gpu_available",
    "testing.benchmark": "benchmark_config",
    "testing.googletest": "StubOutForTesting",
    "testing.test_case": "TestCase get_temp_dir main test_src_dir_path",
    "testing.local_cluster": "create_local_cluster",
    "testing.graph_comparison": "assert_equal_graph_def",
}

SPELLED: dict[str, str] = {
    "Benchmark": "testing.benchmark.TensorFlowBenchmark",
    "mock": "testing.mock",
}
