# Made by tools/make_stubs.py.

__all__ = ['ASSETS_DIRECTORY', 'ASSETS_KEY', 'LEGACY_INIT_OP_KEY', 'MAIN_OP_KEY', 'SAVED_MODEL_FILENAME_PB', 'SAVED_MODEL_FILENAME_PBTXT', 'SAVED_MODEL_SCHEMA_VERSION', 'VARIABLES_DIRECTORY', 'VARIABLES_FILENAME']
from headrace.saved_model.names import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from headrace.saved_model.names import ASSETS_KEY as ASSETS_KEY
from headrace.saved_model.names import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from headrace.saved_model.names import MAIN_OP_KEY as MAIN_OP_KEY
from headrace.saved_model.names import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from headrace.saved_model.names import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from headrace.saved_model.names import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from headrace.saved_model.names import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from headrace.saved_model.names import VARIABLES_FILENAME as VARIABLES_FILENAME
