# Made by tools/make_stubs.py.

__all__ = ['CLASSIFICATION_LEAF_MODEL_TYPES', 'FINISH_TYPES', 'ForestHParams', 'ForestVariables', 'PRUNING_TYPES', 'REGRESSION_MODEL_TYPE', 'RandomForestGraphs', 'RandomTreeGraphs', 'SPLIT_TYPES', 'TreeVariables', 'build_params_proto', 'get_epoch_variable', 'parse_number_or_string_to_proto']
from headrace.contrib.tensor_forest.forest_params import CLASSIFICATION_LEAF_MODEL_TYPES as CLASSIFICATION_LEAF_MODEL_TYPES
from headrace.contrib.tensor_forest.forest_params import FINISH_TYPES as FINISH_TYPES
from headrace.contrib.tensor_forest.forest_params import ForestHParams as ForestHParams
from headrace.contrib.tensor_forest.forest import ForestVariables as ForestVariables
from headrace.contrib.tensor_forest.forest_params import PRUNING_TYPES as PRUNING_TYPES
from headrace.contrib.tensor_forest.forest_params import REGRESSION_MODEL_TYPE as REGRESSION_MODEL_TYPE
from headrace.contrib.tensor_forest.forest import RandomForestGraphs as RandomForestGraphs
from headrace.contrib.tensor_forest.forest import RandomTreeGraphs as RandomTreeGraphs
from headrace.contrib.tensor_forest.forest_params import SPLIT_TYPES as SPLIT_TYPES
from headrace.contrib.tensor_forest.forest import TreeVariables as TreeVariables
from headrace.contrib.tensor_forest.forest_params import build_params_proto as build_params_proto
from headrace.contrib.tensor_forest.forest import get_epoch_variable as get_epoch_variable
from headrace.contrib.tensor_forest.forest_params import parse_number_or_string_to_proto as parse_number_or_string_to_proto
