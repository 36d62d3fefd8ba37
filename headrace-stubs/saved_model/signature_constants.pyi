# Made by tools/make_stubs.py.

__all__ = ['CLASSIFY_INPUTS', 'CLASSIFY_METHOD_NAME', 'CLASSIFY_OUTPUT_CLASSES', 'CLASSIFY_OUTPUT_SCORES', 'DEFAULT_SERVING_SIGNATURE_DEF_KEY', 'PREDICT_INPUTS', 'PREDICT_METHOD_NAME', 'PREDICT_OUTPUTS', 'REGRESS_INPUTS', 'REGRESS_METHOD_NAME', 'REGRESS_OUTPUTS']
from headrace.saved_model.names import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from headrace.saved_model.names import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from headrace.saved_model.names import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from headrace.saved_model.names import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from headrace.saved_model.names import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from headrace.saved_model.names import PREDICT_INPUTS as PREDICT_INPUTS
from headrace.saved_model.names import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from headrace.saved_model.names import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from headrace.saved_model.names import REGRESS_INPUTS as REGRESS_INPUTS
from headrace.saved_model.names import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from headrace.saved_model.names import REGRESS_OUTPUTS as REGRESS_OUTPUTS
