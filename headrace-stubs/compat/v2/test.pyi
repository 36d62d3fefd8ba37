# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Benchmark', 'TestCase', 'assert_equal_graph_def', 'benchmark_config', 'compute_gradient', 'create_local_cluster', 'gpu_device_name', 'is_built_with_cuda', 'is_built_with_gpu_support', 'is_built_with_rocm', 'is_gpu_available', 'main']
from headrace.test import Benchmark as Benchmark
from headrace.test import TestCase as TestCase
assert_equal_graph_def: Any
from headrace.test import benchmark_config as benchmark_config
from headrace.autodiff.function_checker import compute_gradient as compute_gradient
from headrace.test import create_local_cluster as create_local_cluster
from headrace.test import gpu_device_name as gpu_device_name
from headrace.test import is_built_with_cuda as is_built_with_cuda
from headrace.test import is_built_with_gpu_support as is_built_with_gpu_support
from headrace.test import is_built_with_rocm as is_built_with_rocm
from headrace.test import is_gpu_available as is_gpu_available
from headrace.test import main as main
