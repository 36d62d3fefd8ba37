"""The standard reflection service of gRPC: tools ask a server what it understands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import grpc

from headrace.serve import messages


def answers(requests: Iterable[Any], services: Sequence[str]) -> Iterator[Any]:
    """The answers to questions.

    Args:
        requests: `ServerReflectionRequest`s.
        services: the names of the services that are there.
    """
    for request in requests:
        response = messages.ServerReflectionResponse(valid_host=request.host, original_request=request)
        kind = request.WhichOneof("message_request")
        if kind == "list_services":
            for name in services:
                response.list_services_response.service.add(name=name)
        elif kind in ("file_by_filename", "file_containing_symbol"):
            _add_file(response, kind, getattr(request, kind))
        elif kind == "all_extension_numbers_of_type":
            response.all_extension_numbers_response.base_type_name = request.all_extension_numbers_of_type
        else:
            _refuse(response, grpc.StatusCode.NOT_FOUND, "There are no extensions.")
        yield response


def _add_file(response: Any, kind: str, name: str) -> None:
    try:
        if kind == "file_by_filename":
            file = messages.POOL.FindFileByName(name)
        else:
            file = messages.POOL.FindFileContainingSymbol(name)
    except KeyError:
        _refuse(response, grpc.StatusCode.NOT_FOUND, f"Not known: {name}")
        return
    pending, files = [file], {}
    # With all that it needs, so that no tool has to ask again.
    while pending:
        one = pending.pop()
        if one.name not in files:
            files[one.name] = one.serialized_pb
            pending.extend(one.dependencies)
    response.file_descriptor_response.file_descriptor_proto.extend(files.values())


def _refuse(response: Any, code: grpc.StatusCode, text: str) -> None:
    response.error_response.error_code = code.value[0]
    response.error_response.error_message = text
