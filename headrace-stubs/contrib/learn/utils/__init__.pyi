# Made by tools/make_stubs.py.

__all__ = ['InputFnOps', 'build_default_serving_input_fn', 'build_parsing_serving_input_fn', 'export', 'export_estimator', 'gc', 'input_fn_utils', 'inspect_checkpoint', 'make_export_strategy', 'saved_model_export_utils']
from headrace.contrib.learn.serving_inputs import InputFnOps as InputFnOps
from headrace.contrib.learn.serving_inputs import build_default_serving_input_fn as build_default_serving_input_fn
from headrace.contrib.learn.serving_inputs import build_parsing_serving_input_fn as build_parsing_serving_input_fn
from headrace.contrib.learn.utils import export as export
from headrace.contrib.learn.bundle_exports import export_estimator as export_estimator
from headrace.contrib.learn.utils import gc as gc
from headrace.contrib.learn.utils import input_fn_utils as input_fn_utils
from headrace.contrib.learn.utils import inspect_checkpoint as inspect_checkpoint
from headrace.contrib.learn.export_strategy import make_export_strategy as make_export_strategy
from headrace.contrib.learn.utils import saved_model_export_utils as saved_model_export_utils
