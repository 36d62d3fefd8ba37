"""tf.compat.v2.test: the names that mean the same in 1.x."""

HOMES = {
    "test": "Benchmark TestCase benchmark_config create_local_cluster gpu_device_name is_built_with_cuda "
    "is_built_with_gpu_support is_built_with_rocm is_gpu_available main",
}

SPELLED = {
    "compute_gradient": "autodiff.function_checker.compute_gradient",
    "assert_equal_graph_def": "api.v2_arguments.test__assert_equal_graph_def",
}
