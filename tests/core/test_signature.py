"""The signature language: what lines mean, that they are written back, and what is refused."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from headrace.core.dtypes import DTYPE_SETS, as_dtype
from headrace.core.signature import Arg, Attr, parse_signature, signature_text

ROOT = Path(__file__).resolve().parents[2]
OP_DEFS = ROOT / "tests" / "facts" / "op_defs.json"
FLOAT, INT32, INT64 = as_dtype("float32"), as_dtype("int32"), as_dtype("int64")


def test_matmul_line():
    matmul = parse_signature(
        "MatMul", "a: T, b: T, *, transpose_a=False, transpose_b=False, T: {float, half, int32} -> product: T"
    )
    assert matmul.inputs == (Arg("a", type_attr="T"), Arg("b", type_attr="T"))
    assert matmul.outputs == (Arg("product", type_attr="T"),)
    assert list(matmul.attrs) == ["transpose_a", "transpose_b", "T"]
    assert matmul.attrs["transpose_a"] == Attr("transpose_a", "bool", False, True)
    assert matmul.attrs["T"] == Attr("T", "type", allowed=(FLOAT, as_dtype("half"), INT32))
    assert not matmul.stateful


@pytest.mark.parametrize(
    ("piece", "arg"),
    [
        ("x: float", Arg("x", dtype=FLOAT)),
        ("x: T", Arg("x", type_attr="T")),
        ("x: dtype", Arg("x", type_attr="dtype")),
        ("x: N * T", Arg("x", type_attr="T", number_attr="N")),
        ("x: N*int32", Arg("x", dtype=INT32, number_attr="N")),
        ("x: *Tin", Arg("x", type_list_attr="Tin")),
        ("x: ref T", Arg("x", type_attr="T", is_ref=True)),
        ("x: N * ref float", Arg("x", dtype=FLOAT, number_attr="N", is_ref=True)),
    ],
)
def test_argument_forms(piece, arg):
    assert parse_signature("Op", f"{piece} ->").inputs == (arg,)


@pytest.mark.parametrize(
    ("piece", "attr"),
    [
        ("flag=True", Attr("flag", "bool", True, True)),
        ("k=3", Attr("k", "int", 3, True)),
        ("k=-1.5", Attr("k", "float", -1.5, True)),
        ("k=1e-05", Attr("k", "float", 1e-5, True)),
        ("high=inf", Attr("high", "float", float("inf"), True)),
        ("name=''", Attr("name", "string", "", True)),
        ("k: int", Attr("k", "int")),
        ("k: int >= -1 = 4", Attr("k", "int", 4, True, minimum=-1)),
        ("low: float = 0", Attr("low", "float", 0.0, True)),
        ("end: string = '\\n'", Attr("end", "string", "\n", True)),
        ("separator=','", Attr("separator", "string", ",", True)),
        ("mode: {'A', 'B'} = 'B'", Attr("mode", "string", "B", True, ("A", "B"))),
        ("Tidx: index = int64", Attr("Tidx", "type", INT64, True, tuple(DTYPE_SETS["index"]))),
        ("T: type = float", Attr("T", "type", FLOAT, True)),
        ("T: index | complex", Attr("T", "type", allowed=(*DTYPE_SETS["index"], *DTYPE_SETS["complex"]))),
        ("Tout: list(type) >= 1", Attr("Tout", "list(type)", minimum=1)),
        ("Ts: list({float, int64}) = []", Attr("Ts", "list(type)", [], True, (FLOAT, INT64))),
        (
            "strides: list(int) >= 4 = [1, 1, 1, 1]",
            Attr("strides", "list(int)", [1, 1, 1, 1], True, minimum=4),
        ),
        ("s: list(float) = [0.75, 1]", Attr("s", "list(float)", [0.75, 1.0], True)),
        ("s: list(string) = ['a', 'b,c']", Attr("s", "list(string)", ["a", "b,c"], True)),
        ("s: shape = None", Attr("s", "shape", None, True)),
        ("s: shape = unknown", Attr("s", "shape", None, True)),
        ("s: shape = []", Attr("s", "shape", (), True)),
        ("s: shape = [?, 3]", Attr("s", "shape", (None, 3), True)),
        ("s: shape", Attr("s", "shape")),
        ("s: list(shape) = [[1, 2], None]", Attr("s", "list(shape)", [(1, 2), None], True)),
        ("f: func", Attr("f", "func")),
    ],
)
def test_attribute_forms(piece, attr):
    signature = parse_signature("Op", f"*, {piece} ->")
    assert signature.attrs == {attr.name: attr}
    assert type(signature.attrs[attr.name].default) is type(attr.default)
    assert parse_signature("Op", signature_text(signature)) == signature


def test_tensor_default():
    colour = parse_signature("Op", "*, bad_color: tensor = uint8[255, 0, 0, 255] ->").attrs["bad_color"]
    assert colour.default.dtype == "uint8"
    assert colour.default.tolist() == [255, 0, 0, 255]


def test_what_inputs_imply():
    signature = parse_signature("Op", "a: N * T, b: *Tin, *, axis: int -> c: T")
    assert list(signature.attrs) == ["axis", "T", "N", "Tin"]
    assert signature.attrs["T"] == Attr("T", "type")
    assert signature.attrs["N"] == Attr("N", "int", minimum=1)
    assert signature.attrs["Tin"] == Attr("Tin", "list(type)", minimum=0)
    assert signature_text(signature) == "a: N * T, b: *Tin, *, axis: int -> c: T"


@pytest.mark.parametrize("text", ["", "->", " -> "])
def test_nothing_in_nothing_out(text):
    signature = parse_signature("NoOp", text, stateful=True)
    assert (signature.inputs, signature.attrs, signature.outputs, signature.stateful) == ((), {}, (), True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: flaot -> y: float", "'flaot', which is neither a dtype nor"),
        ("x: float -> y: T", "'T', which is neither"),
        ("x float ->", "'x float' is not 'name: type'"),
        ("x: float,, y: float ->", "between two commas"),
        ("x: float, x: float ->", "have one name"),
        ("*, k: int, k: int ->", "declared twice"),
        ("*, k: intt ->", "'intt' is neither a kind"),
        ("*, k: int = 1.5 ->", "'1.5' is not of kind int"),
        ("*, flag: bool = 1 ->", "not of kind bool"),
        ("*, mode: {'A', 'B'} = 'C' ->", "is not allowed"),
        ("*, T: {float, int23} ->", "'int23' is not a dtype"),
        ("*, k=[] ->", "write 'name: kind = default'"),
        ("*, k: list(int) = 3 ->", "'3' is not a list"),
        ("*, k: string >= 1 ->", "least value"),
        ("*, s: shape = [-1] ->", "is not a shape"),
        ("*, mode: {'A', 'B -> y: float", "cannot read"),
        ("x: T, *, T: int ->", "'x' uses 'T' as type, it is int"),
        ("x: N * *T ->", "mixes"),
        ("*, T: {int32} | {int64} ->", "is not 'name: kind'"),
    ],
)
def test_refused_lines(text, message):
    with pytest.raises(ValueError, match="Signature of Bad") as caught:
        parse_signature("Bad", text)
    assert message in str(caught.value)


def _tool():
    spec = importlib.util.spec_from_file_location("signature_of", ROOT / "tools" / "signature_of.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _declared_names(text):
    return set(re.findall(r"(\w+)(?:: |=)", text.partition("*, ")[2].rpartition("->")[0]))


def test_every_op_type_of_tensorflow_reads_back():
    tool = _tool()
    definitions = json.loads(OP_DEFS.read_text())
    assert len(definitions) == 1361
    found = {}
    for op_type, definition in definitions.items():
        theirs = tool.signature_from_def(op_type, definition)
        ours = parse_signature(op_type, signature_text(theirs), stateful=theirs.stateful)
        if differences := tool.differences(ours, theirs):
            found[op_type] = differences
        order = list(theirs.attrs)
        written = [name for name in ours.attrs if name in _declared_names(signature_text(theirs))]
        assert written == sorted(written, key=order.index), op_type
    assert found == {}
