"""The messages that servers and their clients exchange, from `protocol/cluster.proto`."""

from __future__ import annotations

from importlib import resources
from typing import Any

from google.protobuf import descriptor_pool, message_factory

from headrace.messages.proto_source import parse_proto

_FILE = "cluster.proto"


def _make_pool() -> Any:
    pool = descriptor_pool.DescriptorPool()
    source = (resources.files("headrace.cluster") / "protocol" / _FILE).read_text("utf-8")
    pool.AddSerializedFile(parse_proto(_FILE, source).SerializeToString())
    return pool


POOL = _make_pool()


def _message(name: str) -> Any:
    return message_factory.GetMessageClass(POOL.FindMessageTypeByName(f"headrace.cluster.{name}"))


Empty = _message("Empty")
Failure = _message("Failure")
CreateSessionRequest = _message("CreateSessionRequest")
CreateSessionResponse = _message("CreateSessionResponse")
ExtendSessionRequest = _message("ExtendSessionRequest")
SessionRequest = _message("SessionRequest")
Device = _message("Device")
ListDevicesResponse = _message("ListDevicesResponse")
ResetRequest = _message("ResetRequest")
StatusResponse = _message("StatusResponse")
RegisterPartRequest = _message("RegisterPartRequest")
RegisterPartResponse = _message("RegisterPartResponse")
PartialRunSetupResponse = _message("PartialRunSetupResponse")
CollectiveStoreResponse = _message("CollectiveStoreResponse")
TensorHeader = _message("TensorHeader")
SegmentPlace = _message("SegmentPlace")
SharedMemory = _message("SharedMemory")
MeetRequest = _message("MeetRequest")
MeetResponse = _message("MeetResponse")
StepRequest = _message("StepRequest")
StepResponse = _message("StepResponse")
