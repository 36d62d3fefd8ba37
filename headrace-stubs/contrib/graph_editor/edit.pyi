# Made by tools/make_stubs.py.

__all__ = ['bypass', 'connect', 'detach', 'detach_control_inputs', 'detach_control_outputs', 'detach_inputs', 'detach_outputs']
from headrace.contrib.graph_editor.edit import bypass as bypass
from headrace.contrib.graph_editor.edit import connect as connect
from headrace.contrib.graph_editor.edit import detach as detach
from headrace.contrib.graph_editor.edit import detach_control_inputs as detach_control_inputs
from headrace.contrib.graph_editor.edit import detach_control_outputs as detach_control_outputs
from headrace.contrib.graph_editor.edit import detach_inputs as detach_inputs
from headrace.contrib.graph_editor.edit import detach_outputs as detach_outputs
