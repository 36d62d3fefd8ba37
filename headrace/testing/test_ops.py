"""Op types of every kind of signature, which compute nothing: what tests of graphs and of op arguments are made of.

They are declared when this module is first imported. `tensorflow.python.framework.test_ops` is 1.15's name for it.
"""

from __future__ import annotations

from headrace.core.op_def_library import OpDefLibrary
from headrace.core.registry import OpDecl, op
from headrace.core.signature import function_name

_SIGNATURES = {
    "A": "-> out: float",
    "Attr": "*, a: int ->",
    "AttrBool": "*, a: bool ->",
    "AttrBoolList": "*, a: list(bool) ->",
    "AttrDefault": "*, a='banana' ->",
    "AttrEmptyListDefault": "*, a: list(float) = [] ->",
    "AttrEnum": "*, a: {'apples', 'oranges'} ->",
    "AttrEnumList": "*, a: list({'apples', 'oranges'}) ->",
    "AttrFloat": "*, a: float ->",
    "AttrListDefault": "*, a: list(int) = [5, 15] ->",
    "AttrListMin": "*, a: list(int) >= 2 ->",
    "AttrListTypeDefault": "a: N * T, b: N * T, *, T: type = int32 ->",
    "AttrMin": "*, a: int >= 5 ->",
    "AttrPartialShape": "*, a: shape ->",
    "AttrPartialShapeList": "*, a: list(shape) ->",
    "AttrShape": "*, a: shape ->",
    "AttrShapeList": "*, a: list(shape) ->",
    "AttrTypeDefault": "a: T, *, T: type = int32 ->",
    "B": "-> out: float",
    "Binary": "a: T, b: T -> out: T",
    "ComplexStruct": (
        "*, n_a: int >= 0, n_b: int >= 0, t_c: list(type) >= 0 -> a: n_a * int32, b: n_b * int64, c: *t_c"
    ),
    "CopyOp": "a: T -> b: T",
    "DefaultAttrs": (
        "*, string_val='abc', string_list_val: list(string) = ['abc', ''], int_val=123, int_list_val: "
        "list(int) = [1, 2, 3], float_val=10.0, float_list_val: list(float) = [10.0], bool_val=True, "
        "bool_list_val: list(bool) = [True, False], type_val: type = int32, type_list_val: list(type) = "
        "[int32, float], shape_val: shape = [2, 1], shape_list_val: list(shape) = [[], [1]], tensor_val: "
        "tensor = int32[1], tensor_list_val: list(tensor) = [int32[1]] ->"
    ),
    "FiveFloatOutputs": "-> a: float, b: float, c: float, d: float, e: float",
    "FloatInput": "a: float ->",
    "FloatOutput": "-> a: float",
    "FloatOutputStringOutput": "-> a: float, b: string",
    "Foo1": "a: float, b: int32, c: int32 -> d: float, e: int32",
    "Foo2": "a: float, b: string, c: string -> d: float, e: int32",
    "Foo3": "a: float, b: string, c: float -> d: float, e: int32",
    "FuncAttr": "*, f: func ->",
    "FuncListAttr": "*, f: list(func) ->",
    "InPolymorphicTwice": "a: N * T, b: M * T, *, N: int >= 0, M: int >= 0 ->",
    "Int64Output": "-> out: int64",
    "IntAttr": "*, foo=1 -> out: int64",
    "IntInput": "a: int32 ->",
    "IntInputFloatInput": "a: int32, b: float ->",
    "IntInputIntOutput": "a: int32 -> b: int32",
    "IntOutput": "-> a: int32",
    "IntOutputFloatOutput": "-> a: int32, b: float",
    "KernelLabel": "-> result: string",
    "KernelLabelRequired": "input: int32 -> result: string",
    "ListInput": "a: N * T ->",
    "ListOutput": "*, T: list(type) >= 1 -> a: *T",
    "MixedStruct": "*, n_a: int >= 0 -> a: n_a * int32, b: float",
    "NInPolymorphicTwice": "a: N * T, b: N * T, *, N: int >= 0 ->",
    "NInTwice": "a: N * int32, b: N * string, *, N: int >= 0 ->",
    "NInTwoTypeVariables": "a: N * S, b: N * T, *, N: int >= 0 ->",
    "NIntsIn": "a: N * int32, *, N: int >= 2 ->",
    "NIntsOut": "*, N: int >= 2 -> a: N * int32",
    "NIntsOutDefault": "*, N: int >= 2 = 3 -> a: N * int32",
    "NPolymorphicIn": "a: N * T, *, N: int >= 2 ->",
    "NPolymorphicOut": "*, T: type, N: int >= 2 -> a: N * T",
    "NPolymorphicOutDefault": "*, T: type = bool, N: int >= 2 = 2 -> a: N * T",
    "NPolymorphicRestrictIn": "a: N * T, *, T: {string, bool}, N: int >= 2 ->",
    "NPolymorphicRestrictOut": "*, T: {string, bool}, N: int >= 2 -> a: N * T",
    "None": "->",
    "Old": "->",
    "OpWithDefaultAttr": "*, default_float=123.0 -> a: int32",
    "OpWithFutureDefaultAttr": "->",
    "OutT": "*, T: type -> a: T",
    "OutTypeList": "*, T: list(type) >= 0 -> out: *T",
    "OutTypeListRestrict": "*, t: list({string, bool}) >= 1 -> out: *t",
    "Polymorphic": "a: T -> out: T",
    "PolymorphicDefaultOut": "*, T: type = string -> out: T",
    "PolymorphicOut": "*, T: type -> out: T",
    "RefIn": "a: ref T ->",
    "RefInputFloatInput": "a: ref float, b: float ->",
    "RefInputFloatInputIntOutput": "a: ref float, b: float -> c: int32",
    "RefInputIntInput": "a: ref int32, b: int32 ->",
    "RefOut": "*, T: type -> a: ref T",
    "RefOutput": "-> a: ref int32",
    "RefOutputFloatOutput": "-> a: ref float, b: float",
    "ReservedAttr": "*, range: int ->",
    "ReservedInput": "input: int32 ->",
    "Restrict": "a: T, *, T: {string, bool} -> out: T",
    "Simple": "a: int32 -> out: float",
    "SimpleStruct": "*, n_a: int >= 0 -> a: n_a * int32",
    "StringListAttr": "*, a: list(string), b: string ->",
    "TestAttr": "*, T: {float, double} -> out: T",
    "TestStringOutput": "input: float -> output1: float, output2: string",
    "TwoFloatInputs": "a: float, b: float ->",
    "TwoFloatInputsFloatOutput": "a: float, b: float -> c: float",
    "TwoFloatInputsIntOutput": "a: float, b: float -> c: int32",
    "TwoFloatOutputs": "-> a: float, b: float",
    "TwoIntInputs": "a: int32, b: int32 ->",
    "TwoIntOutputs": "-> a: int32, b: int32",
    "TwoRefsIn": "a: ref T, b: ref T ->",
    "TypeList": "a: *T ->",
    "TypeListRestrict": "a: *T, *, T: list({string, bool}) >= 1 ->",
    "TypeListTwice": "a: *T, b: *T ->",
    "Unary": "a: T -> b: T",
}

_STATEFUL = {
    "DevicePlacementOp": "-> device: string",
    "GraphDefVersion": "-> version: int32",
    "RequiresOlderGraphVersion": "-> version: int32",
    "ResourceCreateOp": "resource: resource ->",
    "ResourceInitializedOp": "resource: resource -> initialized: bool",
    "ResourceUsingOp": "resource: resource ->",
    "StubResourceHandleOp": "*, container='', shared_name='' -> resource: resource",
}


def _declared(op_type: str, signature: str, stateful: bool) -> OpDecl:
    decl = op(op_type, signature, stateful=stateful)
    decl.not_differentiable()
    return decl


for _table in (_SIGNATURES, _STATEFUL):
    for _type, _signature in _table.items():
        globals()[function_name(_type)] = globals()[_type] = _declared(_type, _signature, _table is _STATEFUL)

_op_def_lib = OpDefLibrary()
