# Made by tools/make_stubs.py.

__all__ = ['build_nccl_all_reduce', 'build_nccl_then_recursive_hd', 'build_nccl_then_ring', 'build_nccl_then_shuffle', 'build_recursive_hd_all_reduce', 'build_ring_all_reduce', 'build_shuffle_all_reduce', 'build_shuffle_then_ring', 'build_shuffle_then_shuffle']
from headrace.distribute.all_reduce_levels import build_nccl_all_reduce as build_nccl_all_reduce
from headrace.distribute.all_reduce_levels import build_nccl_then_recursive_hd as build_nccl_then_recursive_hd
from headrace.distribute.all_reduce_levels import build_nccl_then_ring as build_nccl_then_ring
from headrace.distribute.all_reduce_levels import build_nccl_then_shuffle as build_nccl_then_shuffle
from headrace.distribute.all_reduce import build_recursive_hd_all_reduce as build_recursive_hd_all_reduce
from headrace.distribute.all_reduce import build_ring_all_reduce as build_ring_all_reduce
from headrace.distribute.all_reduce import build_shuffle_all_reduce as build_shuffle_all_reduce
from headrace.distribute.all_reduce_levels import build_shuffle_then_ring as build_shuffle_then_ring
from headrace.distribute.all_reduce_levels import build_shuffle_then_shuffle as build_shuffle_then_shuffle
