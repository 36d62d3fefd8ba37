"""The message classes of the serving protocol, from the `.proto` files of `protocol/`.

They live in a pool of their own: a client's generated classes of the same names may be in the same process.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory, wrappers_pb2

from headrace.messages import protos
from headrace.messages.proto_source import parse_proto

# In the order in which they import each other.
_FILES = (
    "tensorflow_example.proto",
    "tensorflow_error.proto",
    "server_config.proto",
    "serving.proto",
    "grpc_health.proto",
    "grpc_reflection.proto",
)
# The files of TensorFlow that those import, as tensorboard ships them.
_SHIPPED = ("tensor_pb2", "meta_graph_pb2")


def _as_tensorflow(file: Any) -> bytes:
    """A descriptor of tensorboard's under the file and package names that it has in TensorFlow."""
    proto = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(proto)
    proto.name = _renamed(proto.name)
    proto.package = proto.package.replace("tensorboard", "tensorflow", 1)
    proto.dependency[:] = [_renamed(name) for name in proto.dependency]
    pending = list(proto.message_type)
    while pending:
        message = pending.pop()
        pending.extend(message.nested_type)
        for field in message.field:
            if field.type_name.startswith(".tensorboard."):
                field.type_name = f".tensorflow.{field.type_name.removeprefix('.tensorboard.')}"
    return proto.SerializeToString()


_ABOVE_FRAMEWORK = frozenset(["meta_graph", "saver", "saved_object_graph", "struct", "trackable_object_graph"])


def _renamed(name: str) -> str:
    prefix = "tensorboard/compat/proto/"
    if not name.startswith(prefix):
        return name
    base = name.removeprefix(prefix)
    folder = "protobuf" if base.removesuffix(".proto") in _ABOVE_FRAMEWORK else "framework"
    return f"tensorflow/core/{folder}/{base}"


def _make_pool() -> Any:
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()

    def add(file: Any) -> None:
        if file.name in added:
            return
        added.add(file.name)
        for used in file.dependencies:
            add(used)
        pool.AddSerializedFile(_as_tensorflow(file))

    for file in (any_pb2.DESCRIPTOR, wrappers_pb2.DESCRIPTOR):
        add(file)
    for module in _SHIPPED:
        add(getattr(protos, module).DESCRIPTOR)
    folder = resources.files("headrace.serve") / "protocol"
    for name in _FILES:
        pool.AddSerializedFile(parse_proto(name, (folder / name).read_text("utf-8")).SerializeToString())
    return pool


POOL = _make_pool()


def _message(name: str) -> Any:
    return message_factory.GetMessageClass(POOL.FindMessageTypeByName(name))


TensorProto = _message("tensorflow.TensorProto")
SignatureDef = _message("tensorflow.SignatureDef")
Example = _message("tensorflow.Example")
Feature = _message("tensorflow.Feature")

ModelSpec = _message("tensorflow.serving.ModelSpec")
PredictRequest = _message("tensorflow.serving.PredictRequest")
PredictResponse = _message("tensorflow.serving.PredictResponse")
Input = _message("tensorflow.serving.Input")
ClassificationResult = _message("tensorflow.serving.ClassificationResult")
ClassificationRequest = _message("tensorflow.serving.ClassificationRequest")
ClassificationResponse = _message("tensorflow.serving.ClassificationResponse")
RegressionResult = _message("tensorflow.serving.RegressionResult")
RegressionRequest = _message("tensorflow.serving.RegressionRequest")
RegressionResponse = _message("tensorflow.serving.RegressionResponse")
MultiInferenceRequest = _message("tensorflow.serving.MultiInferenceRequest")
MultiInferenceResponse = _message("tensorflow.serving.MultiInferenceResponse")
SignatureDefMap = _message("tensorflow.serving.SignatureDefMap")
GetModelMetadataRequest = _message("tensorflow.serving.GetModelMetadataRequest")
GetModelMetadataResponse = _message("tensorflow.serving.GetModelMetadataResponse")
GetModelStatusRequest = _message("tensorflow.serving.GetModelStatusRequest")
GetModelStatusResponse = _message("tensorflow.serving.GetModelStatusResponse")
ReloadConfigRequest = _message("tensorflow.serving.ReloadConfigRequest")
ReloadConfigResponse = _message("tensorflow.serving.ReloadConfigResponse")
PredictionLog = _message("tensorflow.serving.PredictionLog")
ModelServerConfig = _message("tensorflow.serving.ModelServerConfig")
BatchingParameters = _message("tensorflow.serving.BatchingParameters")
SSLConfig = _message("tensorflow.serving.SSLConfig")
MonitoringConfig = _message("tensorflow.serving.MonitoringConfig")

HealthCheckRequest = _message("grpc.health.v1.HealthCheckRequest")
HealthCheckResponse = _message("grpc.health.v1.HealthCheckResponse")
ServerReflectionRequest = _message("grpc.reflection.v1alpha.ServerReflectionRequest")
ServerReflectionResponse = _message("grpc.reflection.v1alpha.ServerReflectionResponse")
