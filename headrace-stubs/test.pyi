# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Benchmark', 'StubOutForTesting', 'TestCase', 'assert_equal_graph_def', 'benchmark_config', 'compute_gradient', 'compute_gradient_error', 'create_local_cluster', 'get_temp_dir', 'gpu_device_name', 'is_built_with_cuda', 'is_built_with_gpu_support', 'is_built_with_rocm', 'is_gpu_available', 'main', 'mock', 'test_src_dir_path']
from headrace.testing.benchmark import TensorFlowBenchmark as Benchmark
from headrace.testing.googletest import StubOutForTesting as StubOutForTesting
from headrace.testing.test_case import TestCase as TestCase
from headrace.testing.graph_comparison import assert_equal_graph_def as assert_equal_graph_def
from headrace.testing.benchmark import benchmark_config as benchmark_config
from headrace.autodiff.checker import compute_gradient as compute_gradient
from headrace.autodiff.checker import compute_gradient_error as compute_gradient_error
from headrace.testing.local_cluster import create_local_cluster as create_local_cluster
from headrace.testing.test_case import get_temp_dir as get_temp_dir
from headrace.devices.listing import gpu_device_name as gpu_device_name
from headrace.devices.listing import is_built_with_cuda as is_built_with_cuda
from headrace.devices.listing import is_built_with_gpu_support as is_built_with_gpu_support
from headrace.devices.listing import is_built_with_rocm as is_built_with_rocm
from headrace.devices.listing import is_gpu_available as is_gpu_available
from headrace.testing.test_case import main as main
mock: Any
from headrace.testing.test_case import test_src_dir_path as test_src_dir_path
