# Made by tools/make_stubs.py.

__all__ = ['BestModelSelector', 'DEFAULT_INPUT_ALTERNATIVE_KEY', 'FEATURES_INPUT_ALTERNATIVE_KEY', 'MAX_DIRECTORY_CREATION_ATTEMPTS', 'build_all_signature_defs', 'build_standardized_signature_def', 'extend_export_strategy', 'garbage_collect_exports', 'get_input_alternatives', 'get_most_recent_export', 'get_output_alternatives', 'get_temp_export_dir', 'get_timestamped_dir', 'get_timestamped_export_dir', 'make_best_model_export_strategy', 'make_export_strategy', 'make_parsing_export_strategy']
from headrace.contrib.learn.export_strategy import BestModelSelector as BestModelSelector
from headrace.contrib.learn.signatures import DEFAULT_INPUT_ALTERNATIVE_KEY as DEFAULT_INPUT_ALTERNATIVE_KEY
from headrace.contrib.learn.signatures import FEATURES_INPUT_ALTERNATIVE_KEY as FEATURES_INPUT_ALTERNATIVE_KEY
from headrace.contrib.learn.export_strategy import MAX_DIRECTORY_CREATION_ATTEMPTS as MAX_DIRECTORY_CREATION_ATTEMPTS
from headrace.contrib.learn.signatures import build_all_signature_defs as build_all_signature_defs
from headrace.contrib.learn.signatures import build_standardized_signature_def as build_standardized_signature_def
from headrace.contrib.learn.export_strategy import extend_export_strategy as extend_export_strategy
from headrace.contrib.learn.export_strategy import garbage_collect_exports as garbage_collect_exports
from headrace.contrib.learn.signatures import get_input_alternatives as get_input_alternatives
from headrace.contrib.learn.export_strategy import get_most_recent_export as get_most_recent_export
from headrace.contrib.learn.signatures import get_output_alternatives as get_output_alternatives
from headrace.contrib.learn.export_strategy import get_temp_export_dir as get_temp_export_dir
from headrace.estimator.util import get_timestamped_dir as get_timestamped_dir
from headrace.contrib.learn.export_strategy import get_timestamped_export_dir as get_timestamped_export_dir
from headrace.contrib.learn.export_strategy import make_best_model_export_strategy as make_best_model_export_strategy
from headrace.contrib.learn.export_strategy import make_export_strategy as make_export_strategy
from headrace.contrib.learn.export_strategy import make_parsing_export_strategy as make_parsing_export_strategy
