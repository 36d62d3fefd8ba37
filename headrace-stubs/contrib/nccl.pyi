# Made by tools/make_stubs.py.

__all__ = ['all_max', 'all_min', 'all_prod', 'all_sum', 'broadcast', 'reduce_sum']
from headrace.ops.collective.nccl import all_max as all_max
from headrace.ops.collective.nccl import all_min as all_min
from headrace.ops.collective.nccl import all_prod as all_prod
from headrace.ops.collective.nccl import all_sum as all_sum
from headrace.ops.collective.nccl import broadcast as broadcast
from headrace.ops.collective.nccl import reduce_sum as reduce_sum
