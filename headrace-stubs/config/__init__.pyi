# Made by tools/make_stubs.py.

__all__ = ['experimental', 'experimental_connect_to_cluster', 'experimental_connect_to_host', 'experimental_list_devices', 'experimental_run_functions_eagerly', 'get_soft_device_placement', 'optimizer', 'set_soft_device_placement', 'threading']
from headrace.config import experimental as experimental
from headrace.config.settings import experimental_connect_to_cluster as experimental_connect_to_cluster
from headrace.config.settings import experimental_connect_to_host as experimental_connect_to_host
from headrace.config.settings import experimental_list_devices as experimental_list_devices
from headrace.state.polymorphic_function import run_functions_eagerly as experimental_run_functions_eagerly
from headrace.config.settings import get_soft_device_placement as get_soft_device_placement
from headrace.config import optimizer as optimizer
from headrace.config.settings import set_soft_device_placement as set_soft_device_placement
from headrace.config import threading as threading
