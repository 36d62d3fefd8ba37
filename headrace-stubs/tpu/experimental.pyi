# Made by tools/make_stubs.py.

__all__ = ['DeviceAssignment', 'initialize_tpu_system']
from headrace.contrib.tpu.refusals import DeviceAssignment as DeviceAssignment
from headrace.contrib.tpu.refusals import initialize_tpu_system as initialize_tpu_system
