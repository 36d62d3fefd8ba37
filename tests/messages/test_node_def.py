"""Operations and attributes as messages, and back."""

from types import SimpleNamespace

import numpy as np
import pytest
from google.protobuf import text_format

from headrace.core.dtypes import as_dtype
from headrace.core.signature import parse_signature
from headrace.messages import protos
from headrace.messages.node_def import attr_from_proto, attr_to_proto, node_def_of, public_attr

FLOAT, INT32 = as_dtype("float32"), as_dtype("int32")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", -3, "i: -3"),
        ("int", 0, "i: 0"),
        ("float", 0.5, "f: 0.5"),
        ("bool", False, "b: false"),
        ("string", "é", r's: "\303\251"'),
        ("string", b"\xff", r's: "\377"'),
        ("type", FLOAT, "type: DT_FLOAT"),
        ("shape", None, "shape { unknown_rank: true }"),
        ("shape", (), "shape {}"),
        ("shape", (None, 3), "shape { dim { size: -1 } dim { size: 3 } }"),
        ("func", "body", 'func { name: "body" }'),
        ("list(int)", [1, 2], "list { i: [1, 2] }"),
        ("list(int)", [], "list {}"),
        ("list(float)", [0.5], "list { f: 0.5 }"),
        ("list(bool)", [True, False], "list { b: [true, false] }"),
        ("list(string)", ["loc:@v"], 'list { s: "loc:@v" }'),
        ("list(type)", [FLOAT, INT32], "list { type: [DT_FLOAT, DT_INT32] }"),
        ("list(shape)", [(2,), None], "list { shape { dim { size: 2 } } shape { unknown_rank: true } }"),
        ("list(func)", ["a", "b"], 'list { func { name: "a" } func { name: "b" } }'),
    ],
)
def test_attributes(kind, value, text):
    message = attr_to_proto(kind, value)
    assert message == text_format.Parse(text, protos.AttrValue())
    assert attr_from_proto(message) == value


def test_tensor_attribute():
    message = attr_to_proto("tensor", np.array([1.0, 2.0], np.float32))
    assert message.tensor.tensor_content == np.array([1, 2], "<f4").tobytes()
    assert attr_from_proto(message).tolist() == [1.0, 2.0]
    strings = attr_from_proto(attr_to_proto("tensor", np.array([b"a"], object)))
    assert strings.tolist() == [b"a"]


def test_an_attribute_without_value_is_an_empty_list():
    assert attr_from_proto(protos.AttrValue()) == []


@pytest.mark.parametrize("text", ['func { name: "f" attr { key: "T" value { i: 1 } } }', 'placeholder: "T"'])
def test_function_parameters_are_refused(text):
    with pytest.raises(NotImplementedError, match="instantiate"):
        attr_from_proto(text_format.Parse(text, protos.AttrValue()))


@pytest.mark.parametrize(("kind", "value"), [("list(int)", 3), ("list(string)", "ab"), ("int", "a"), ("nonsense", 1)])
def test_wrong_values_are_refused(kind, value):
    with pytest.raises((TypeError, ValueError)):
        attr_to_proto(kind, value)


def _operation(name, signature, inputs=(), controls=(), **attrs):
    return SimpleNamespace(
        name=name,
        type="Add",
        inputs=list(inputs),
        control_inputs=list(controls),
        device="/device:CPU:0",
        attrs=attrs,
        decl=SimpleNamespace(signature=parse_signature("Add", signature)),
    )


def test_node_def():
    u, b, a = (_operation(name, "->") for name in ("u", "b", "a"))
    first, second = SimpleNamespace(op=u, value_index=0), SimpleNamespace(op=u, value_index=1)
    add = _operation(
        "scope/y", "x: T, y: T -> z: T", [second, first], [b, a], T=FLOAT, _class=["loc:@v"], _foo=3,
        _output_shapes=[(None, 2), None],
    )  # fmt: skip
    expected = """
        name: "scope/y" op: "Add" input: ["u:1", "u", "^b", "^a"] device: "/device:CPU:0"
        attr { key: "T" value { type: DT_FLOAT } }
        attr { key: "_class" value { list { s: "loc:@v" } } }
        attr { key: "_foo" value { i: 3 } }
        attr { key: "_output_shapes" value {
            list { shape { dim { size: -1 } dim { size: 2 } } shape { unknown_rank: true } } } }
    """
    assert node_def_of(add) == text_format.Parse(expected, protos.NodeDef())
    assert node_def_of(add, sort_control_inputs=True).input == ["u:1", "u", "^a", "^b"]


def test_public_attributes():
    operation = _operation(
        "o", "*, alpha: float, k: int, mode: string, s: shape, Ts: list(type), names: list(string) ->",
        alpha=0.1, k=2, mode="SAME", s=(None, 2), Ts=[FLOAT], names=["a"], _class=["loc:@v"],
    )  # fmt: skip
    assert public_attr(operation, "alpha") == 0.10000000149011612
    assert public_attr(operation, "k") == 2
    assert public_attr(operation, "mode") == b"SAME"
    assert [dim.size for dim in public_attr(operation, "s").dim] == [-1, 2]
    assert public_attr(operation, "Ts") == [FLOAT]
    assert public_attr(operation, "names") == [b"a"]
    assert public_attr(operation, "_class") == [b"loc:@v"]


@pytest.mark.parametrize("name", protos.__all__)
def test_every_message_class_is_there(name):
    value = getattr(protos, name)
    if hasattr(value, "FromString"):
        assert value.FromString(value().SerializeToString()) == value()


def test_example_on_the_wire():
    example = protos.Example()
    example.features.feature["x"].int64_list.value.extend([1, 300])
    example.features.feature["x"].int64_list.value.append(2)
    assert example.SerializeToString() == b"\n\x0f\n\r\n\x01x\x12\x08\x1a\x06\n\x04\x01\xac\x02\x02"
    assert example.features.feature["x"].WhichOneof("kind") == "int64_list"


def test_unknown_name():
    with pytest.raises(AttributeError, match="NoSuchProto"):
        protos.NoSuchProto  # noqa: B018
