"""The gRPC interface, asked by a client of the public protocol."""

from __future__ import annotations

import grpc
import numpy as np
import pytest

from headrace.messages.tensor_proto import array_of
from headrace.serve import messages
from headrace.serve.grpc_server import GrpcServer
from headrace.serve.tensor_messages import fill_message


@pytest.fixture
def channel(half):
    speaking = GrpcServer(half, threads=4)
    port = speaking.listen("127.0.0.1:0")
    speaking.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as opened:
        yield opened
    speaking.stop(5)


def call(channel, name, request, response_class, service="PredictionService"):
    method = channel.unary_unary(
        f"/tensorflow.serving.{service}/{name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=response_class.FromString,
    )
    return method(request, timeout=60)


def predict_request(signature="", name="half", **arrays):
    request = messages.PredictRequest()
    request.model_spec.name = name
    request.model_spec.signature_name = signature
    for key, array in arrays.items():
        fill_message(request.inputs[key], array)
    return request


def refused(channel, name, request, response_class):
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, name, request, response_class)
    return caught.value.code().name


def test_predict(channel):
    response = call(channel, "Predict", predict_request(x=np.float32([1, 2, 5])), messages.PredictResponse)
    # As numbers, where old clients look for them, not as bytes.
    assert list(response.outputs["y"].float_val) == [2.5, 3.0, 4.5]
    assert [dim.size for dim in response.outputs["y"].tensor_shape.dim] == [3]
    assert (response.model_spec.version.value, response.model_spec.signature_name) == (2, "serving_default")


def test_all_of_equal_elements_is_written_out(channel):
    response = call(channel, "Predict", predict_request(x=np.zeros(3, np.float32)), messages.PredictResponse)
    assert list(response.outputs["y"].float_val) == [2.0, 2.0, 2.0]


def test_some_outputs(channel):
    request = predict_request("several", whole=np.int64([1, 2]), text=np.array([b"a", b"\xff"], object))
    request.output_filter.append("text_bytes")
    response = call(channel, "Predict", request, messages.PredictResponse)
    assert list(response.outputs) == ["text_bytes"]
    assert array_of(response.outputs["text_bytes"]).tolist() == [b"a", b"\xff"]


def test_statuses(channel):
    x = np.float32([1.0])
    for request, code in (
        (predict_request(name="nope", x=x), "NOT_FOUND"),
        (predict_request("nope", x=x), "FAILED_PRECONDITION"),
        (predict_request(), "INVALID_ARGUMENT"),
        (predict_request(x=x, z=x), "INVALID_ARGUMENT"),
        (predict_request(x=np.int32([1])), "INVALID_ARGUMENT"),
        (predict_request(x=np.float32([[1.0]])), "INVALID_ARGUMENT"),
        (predict_request("picked", whole=np.int64([7])), "INVALID_ARGUMENT"),
        (messages.PredictRequest(), "INVALID_ARGUMENT"),
    ):
        assert refused(channel, "Predict", request, messages.PredictResponse) == code, request
    filtered = predict_request(x=x)
    filtered.output_filter.extend(["y", "y"])
    assert refused(channel, "Predict", filtered, messages.PredictResponse) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("size", [-1, 1 << 40])
def test_tensors_that_are_none(channel, size):
    request = predict_request(x=np.float32([1.0]))
    request.inputs["x"].tensor_shape.dim[0].size = size
    assert refused(channel, "Predict", request, messages.PredictResponse) in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")


def test_a_few_bytes_do_not_stand_for_gigabytes(channel):
    request = predict_request("picked", whole=np.int64([1]))
    tensor = request.inputs["whole"]
    tensor.tensor_shape.dim[0].size = (1 << 31) - 1
    assert refused(channel, "Predict", request, messages.PredictResponse) == "RESOURCE_EXHAUSTED"
    tensor.tensor_shape.dim[0].size = 5000
    response = call(channel, "Predict", request, messages.PredictResponse)
    assert list(response.outputs["picked"].float_val) == [20.0] * 5000


def example(**features):
    made = messages.Example()
    for key, value in features.items():
        made.features.feature[key].float_list.value.append(value)
    return made


def test_inference_over_examples(channel):
    request = messages.ClassificationRequest()
    request.model_spec.name, request.model_spec.signature_name = "half", "classify"
    request.input.example_list.examples.extend([example(x=2.0), example(x=4.0)])
    result = call(channel, "Classify", request, messages.ClassificationResponse).result
    assert [[(one.label, one.score) for one in row.classes] for row in result.classifications] == [
        [("no", -3.0), ("yes", 3.0)],
        [("no", -4.0), ("yes", 4.0)],
    ]
    regression = messages.RegressionRequest()
    regression.model_spec.name, regression.model_spec.signature_name = "half", "regress"
    assert refused(channel, "Regress", regression, messages.RegressionResponse) == "INVALID_ARGUMENT"
    regression.input.example_list_with_context.context.CopyFrom(example(x=6.0))
    regression.input.example_list_with_context.examples.extend([example(), example(x=2.0)])
    result = call(channel, "Regress", regression, messages.RegressionResponse).result
    assert [one.value for one in result.regressions] == [5.0, 3.0]


def test_several_inferences_at_once(channel):
    request = messages.MultiInferenceRequest()
    request.input.example_list.examples.append(example(x=2.0))
    assert refused(channel, "MultiInference", request, messages.MultiInferenceResponse) == "INVALID_ARGUMENT"
    for key in ("classify", "regress"):
        task = request.tasks.add(method_name=f"tensorflow/serving/{key}")
        task.model_spec.name, task.model_spec.signature_name = "half", key
    classified, regressed = call(channel, "MultiInference", request, messages.MultiInferenceResponse).results
    assert classified.classification_result.classifications[0].classes[1].score == 3.0
    assert regressed.regression_result.regressions[0].value == 3.0
    request.tasks.add(method_name="tensorflow/serving/regress").model_spec.CopyFrom(request.tasks[1].model_spec)
    assert refused(channel, "MultiInference", request, messages.MultiInferenceResponse) == "INVALID_ARGUMENT"


def test_metadata_and_status(channel):
    request = messages.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "half"
    response = call(channel, "GetModelMetadata", request, messages.GetModelMetadataResponse)
    assert response.metadata["signature_def"].type_url == "type.googleapis.com/tensorflow.serving.SignatureDefMap"
    found = messages.SignatureDefMap.FromString(response.metadata["signature_def"].value)
    assert found.signature_def["serving_default"].inputs["x"].dtype == 1
    status = messages.GetModelStatusRequest()
    status.model_spec.name = "half"
    (one,) = call(
        channel, "GetModelStatus", status, messages.GetModelStatusResponse, "ModelService"
    ).model_version_status
    assert (one.version, one.state) == (2, 30)


def test_models_are_changed_by_request(channel, saved):
    request = messages.ReloadConfigRequest()
    response = call(channel, "HandleReloadConfigRequest", request, messages.ReloadConfigResponse, "ModelService")
    assert response.status.error_code == 3
    request.config.model_config_list.config.add(name="other", base_path=str(saved))
    response = call(channel, "HandleReloadConfigRequest", request, messages.ReloadConfigResponse, "ModelService")
    assert response.status.error_code == 0
    asked = predict_request(name="other", x=np.float32([1.0]))
    assert call(channel, "Predict", asked, messages.PredictResponse).outputs["y"].float_val[0] == 2.5
    assert refused(channel, "Predict", predict_request(x=np.float32([1.0])), messages.PredictResponse) == "NOT_FOUND"


def test_calls_that_are_not_served_say_what_to_do_instead(channel):
    for name, service in (("PredictStreamed", "PredictionService"), ("SessionRun", "SessionService")):
        for kind in ("unary_unary", "stream_stream"):
            method = getattr(channel, kind)(f"/tensorflow.serving.{service}/{name}")
            with pytest.raises(grpc.RpcError) as caught:
                list(method(iter([b""]), timeout=60)) if kind == "stream_stream" else method(b"", timeout=60)
            assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
            assert "Predict" in caught.value.details()


def test_health(channel):
    method = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=messages.HealthCheckResponse.FromString,
    )
    assert method(messages.HealthCheckRequest(), timeout=60).status == 1
    with pytest.raises(grpc.RpcError):
        method(messages.HealthCheckRequest(service="none"), timeout=60)


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection(channel, version):
    method = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=messages.ServerReflectionResponse.FromString,
    )
    asked = [
        messages.ServerReflectionRequest(list_services=""),
        messages.ServerReflectionRequest(file_containing_symbol="tensorflow.serving.PredictionService"),
        messages.ServerReflectionRequest(file_containing_symbol="none.At.All"),
    ]
    services, files, unknown = method(iter(asked), timeout=60)
    assert "tensorflow.serving.PredictionService" in [one.name for one in services.list_services_response.service]
    assert len(files.file_descriptor_response.file_descriptor_proto) > 5
    assert unknown.error_response.error_code == 5


def test_unix_sockets(half, tmp_path):
    speaking = GrpcServer(half, threads=2)
    path = tmp_path / "socket"
    speaking.listen(f"unix:{path}")
    speaking.start()
    with grpc.insecure_channel(f"unix:{path}") as opened:
        response = call(opened, "Predict", predict_request(x=np.float32([1.0])), messages.PredictResponse)
    speaking.stop(5)
    assert response.outputs["y"].float_val[0] == 2.5
