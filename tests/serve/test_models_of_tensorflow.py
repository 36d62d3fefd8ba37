"""Models that real TensorFlow 1.15.5 and 2.21 wrote, with an example of what they answered there."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from headrace.messages.tensor_proto import array_of
from headrace.serve import messages, prediction
from headrace.serve.servable import load_servable
from headrace.serve.tensor_messages import fill_message

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
MODELS = sorted(path.parent.relative_to(FIXTURES) for path in FIXTURES.glob("models*/*/example.npz"))


@pytest.mark.parametrize("name", MODELS, ids=str)
def test_a_model_answers_what_it_answered_there(name):
    # Strings are Python objects in an array's file; the files are this project's own.
    with np.load(FIXTURES / name / "example.npz", allow_pickle=True) as file:
        data = {tuple(key.split(":")): value for key, value in file.items()}
    servable = load_servable("model", 1, str(FIXTURES / name))
    request = messages.PredictRequest()
    for (kind, key), value in data.items():
        if kind == "in":
            fill_message(request.inputs[key], value)
        else:
            request.output_filter.append(key)
    response = prediction.predict(servable, messages.PredictRequest.FromString(request.SerializeToString()))
    assert sorted(response.outputs) == sorted(key for kind, key in data if kind == "out")
    for key, message in response.outputs.items():
        found, expected = array_of(message), data["out", key]
        assert (found.dtype.kind, found.shape) == (expected.dtype.kind, expected.shape)
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        else:
            np.testing.assert_array_equal(found, expected)
    servable.close()
