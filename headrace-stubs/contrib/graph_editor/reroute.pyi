# Made by tools/make_stubs.py.

__all__ = ['add_control_inputs', 'remove_control_inputs', 'reroute_inputs', 'reroute_ios', 'reroute_outputs', 'reroute_ts', 'swap_inputs', 'swap_ios', 'swap_outputs', 'swap_ts']
from headrace.contrib.graph_editor.reroute import add_control_inputs as add_control_inputs
from headrace.contrib.graph_editor.reroute import remove_control_inputs as remove_control_inputs
from headrace.contrib.graph_editor.reroute import reroute_inputs as reroute_inputs
from headrace.contrib.graph_editor.reroute import reroute_ios as reroute_ios
from headrace.contrib.graph_editor.reroute import reroute_outputs as reroute_outputs
from headrace.contrib.graph_editor.reroute import reroute_ts as reroute_ts
from headrace.contrib.graph_editor.reroute import swap_inputs as swap_inputs
from headrace.contrib.graph_editor.reroute import swap_ios as swap_ios
from headrace.contrib.graph_editor.reroute import swap_outputs as swap_outputs
from headrace.contrib.graph_editor.reroute import swap_ts as swap_ts
