"""`tf.Variable` with both its kinds: reached by a reference, and reached by a resource handle."""

from headrace.state.ref_variables import RefVariable, variable_op_v2
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.resource_variables import ResourceVariable
from headrace.state.variable_class import Variable, VariableV1, default_variable_creator

__all__ = [
    "BaseResourceVariable",
    "RefVariable",
    "ResourceVariable",
    "Variable",
    "VariableV1",
    "default_variable_creator",
    "variable_op_v2",
]
