"""REST requests and their answers, as TensorFlow Serving's documentation states them."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from headrace.serve.json_values import array_text, element_texts


def test_rows_of_one_input(rest):
    assert rest.post({"instances": [1.0, 2, 5]}) == (200, {"predictions": [2.5, 3.0, 4.5]})
    assert rest.post({"instances": [{"x": 1.0}, {"x": 2.0}]}) == (200, {"predictions": [2.5, 3.0]})


def test_columns_of_one_input(rest):
    assert rest.post({"inputs": [1.0, 2.0]}) == (200, {"outputs": [2.5, 3.0]})
    assert rest.post({"inputs": {"x": [1.0]}}) == (200, {"outputs": [2.5]})


def test_several_inputs_and_bytes(rest):
    data = base64.b64encode(b"\x00\xff").decode()
    body = {
        "signature_name": "several",
        "instances": [{"whole": 1, "text": "é"}, {"whole": 2, "text": {"b64": base64.b64encode(b"abc").decode()}}],
    }
    status, found = rest.post(body)
    assert status == 200
    assert found["predictions"] == [
        {"next": 2, "text": "é", "text_bytes": {"b64": base64.b64encode("é".encode()).decode()}},
        {"next": 3, "text": "abc", "text_bytes": {"b64": base64.b64encode(b"abc").decode()}},
    ]
    status, found = rest.post({"signature_name": "several", "inputs": {"whole": [1], "text": ["a"]}})
    assert found == {"outputs": {"next": [2], "text": ["a"], "text_bytes": [{"b64": "YQ=="}]}}
    assert rest.post({"signature_name": "several", "instances": [{"whole": 1, "text": {"b64": data + "*"}}]})[0] == 400


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b'{"instances": [', "JSON Parse error"),
        (b'{"instances": [1.0], "x": \xff}', "JSON Parse error"),
        (b"[1]", "Is not object"),
        (b'{"instances": ["\\ud800"]}', "JSON Parse error"),
        (b'{"instances": [1.0], "signature_name": "\\ud800"}', "JSON Parse error"),
        (b"[" * 200_000, "too deeply"),
        (b'{"instances": ' + b"[" * 500 + b"]" * 500 + b"}", "too many"),
        ({"instances": []}, "No values in 'instances'"),
        ({"instances": 3}, "list/array"),
        ({}, "Missing 'inputs' or 'instances' key"),
        ({"instances": [1.0], "inputs": [1.0]}, "only one of"),
        ({"instances": [1.0], "signature_name": 3}, "'signature_name' key must be a string"),
        ({"instances": [1.0], "signature_name": "nope"}, "not found in signature def"),
        ({"instances": ["a"]}, "Type: String is not of expected type: float"),
        ({"instances": [True]}, "is not of expected type: float"),
        ({"instances": [None]}, "Type: Null"),
        ({"instances": [1.0, [2.0]]}, "element: 1"),
        ({"instances": [{"z": 1.0}]}, "does not have named input: z"),
        ({"instances": [{"x": 1.0}, 2.0]}, "Expecting object but got list at item 1"),
        ({"instances": [[1.0]]}, "shape"),
        ({"signature_name": "product", "instances": [[1.0, 2.0], [3.0]]}, "Expecting shape [2] but got: [1]"),
        ({"signature_name": "product", "inputs": [[1.0, 2.0], [3.0]]}, "unexpected size: 1"),
        ({"signature_name": "several", "instances": [{"whole": 1}]}, "keys must be equal to: text,whole"),
        ({"signature_name": "several", "instances": [{"whole": 1.5, "text": ""}]}, "expected type: int64"),
        ({"signature_name": "several", "instances": [1]}, "expecting list of objects"),
        ({"signature_name": "several", "inputs": {"whole": [1]}}, "Missing named input: text"),
        ({"signature_name": "total", "instances": [1.0]}, "no shape information"),
        ({"signature_name": "picked", "instances": [7]}, "indices[0] = 7"),
        (b'{"instances": [1' + b"0" * 400 + b"]}", "is not of expected type"),
        ({"instances": [{"b64": 3}]}, "input"),
    ],
)
def test_what_cannot_be_is_said(rest, body, says):
    status, found = rest.post(body)
    assert status == 400
    assert list(found) == ["error"]
    assert says in found["error"]
    # Whoever asks next is answered.
    assert rest.post({"instances": [1.0]}) == (200, {"predictions": [2.5]})


def test_numbers_that_are_none_travel(rest):
    status, found = rest.post(b'{"instances": [NaN, Infinity, 1e39]}')
    assert status == 200
    assert np.isnan(found["predictions"][0])
    assert found["predictions"][1:] == [np.inf, np.inf]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/models/nope:predict", 404),
        ("/v1/models/half/versions/9:predict", 404),
        ("/v1/models/half/versions/99999999999999999999999999:predict", 400),
        ("/v1/models/half/labels/none:predict", 400),
        ("/v1/models/..%2f..%2fetc%2fpasswd:predict", 404),
        ("/v1/models/../half:predict", 400),
        ("/v1/models/half:guess", 400),
        ("/v1/models/half", 400),
        ("/v1/models/half:PREDICT", 200),
    ],
)
def test_paths(rest, path, status):
    assert rest.post({"instances": [1.0]}, path)[0] == status


def test_regression_and_classification(rest):
    status, found = rest.post(
        {"signature_name": "regress", "context": {"x": 8.0}, "examples": [{"x": 2.0}, {}, {"x": [4.0]}]},
        "/v1/models/half:regress",
    )
    assert (status, found) == (200, {"results": [3.0, 6.0, 4.0]})
    status, found = rest.post({"signature_name": "classify", "examples": [{"x": 2.0}]}, "/v1/models/half:classify")
    assert (status, found) == (200, {"results": [[["no", -3.0], ["yes", 3.0]]]})


@pytest.mark.parametrize(
    "body",
    [
        {"signature_name": "regress"},
        {"signature_name": "regress", "examples": []},
        {"signature_name": "regress", "examples": [3]},
        {"signature_name": "regress", "examples": [{"x": None}]},
        {"signature_name": "regress", "examples": [{"x": [[1.0]]}]},
        {"signature_name": "regress", "examples": [{"x": [1.0, "a"]}]},
        {"signature_name": "regress", "examples": [{"x": 2**63}]},
        {"signature_name": "regress", "examples": [{"y": 1.0}]},
        {"signature_name": "classify", "examples": [{"x": 1.0}]},
        {"examples": [{"x": 1.0}]},
    ],
)
def test_examples_that_cannot_be(rest, body):
    assert rest.post(body, "/v1/models/half:regress")[0] == 400


def test_status_and_metadata(rest):
    status, found = rest.get("/v1/models/half")
    assert status == 200
    assert found == {
        "model_version_status": [
            {"version": "2", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
        ]
    }
    assert rest.get("/v1/models/half/versions/1")[0] == 404
    assert rest.get("/v1/models/other")[0] == 404
    assert rest.get("/v1/models")[0] == 400
    status, found = rest.get("/v1/models/half/metadata")
    assert (status, found["model_spec"]["version"]) == (200, "2")
    signature = found["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert signature["method_name"] == "tensorflow/serving/predict"
    assert signature["inputs"]["x"]["tensor_shape"]["dim"] == [{"size": "-1", "name": ""}]


def test_floats_are_short_where_that_says_the_same():
    assert element_texts(np.float32([0.1, 2.0, 1e-7, 9e6, 16777216.0, np.nan, -np.inf])) == [
        "0.1",
        "2.0",
        "1e-07",
        "9e+06",
        "16777216.0",
        "NaN",
        "-Infinity",
    ]
    assert element_texts(np.float64([1 / 3])) == ["0.33333333333333331"]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (0, 2), (2, 3), (2, 0, 3), (2, 3, 0), (2, 3, 4)])
def test_lists_keep_their_shape(shape):
    array = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    assert json.loads(array_text(array)) == array.tolist()


def test_random_floats_come_back_the_same():
    values = np.random.RandomState(1).standard_normal(5000).astype(np.float32) * np.float32(10) ** np.arange(
        -25, 25
    ).repeat(100)
    assert (np.float32([float(text) for text in element_texts(values)]) == values.astype(np.float32)).all()
