"""What the owner of a server allows and asks for: environment variables, read when a server or a channel is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_PREFIX = "HEADRACE_CLUSTER_"
# What `ALLOW` may name.
FILES, PYTHON = "files", "python"
# What it may name besides: collectives that are not encrypted where other connections are.
PLAINTEXT = "plaintext"
# And that they may name the tasks of other clusters, to which the server connects for their sessions.
CLUSTERS = "clusters"
_MAX_MESSAGE = (1 << 31) - 1


@dataclass(frozen=True)
class ClusterSettings:
    """The settings of a server or a channel.

    Attributes:
        bind: the host to listen at, instead of the one that the cluster names.
        token: what callers must show.
        certificate, key: paths of what a server proves itself with, PEM.
        authority: the path of the certificates that are trusted; a server that has it asks callers for theirs.
        allowed: which operations a remote caller may run besides those that compute: "files", "python"; and whether
            collectives may go without TLS where other connections have it: "plaintext"; and whether sessions of others may
            describe a cluster of their own: "clusters".
        max_message_bytes: the largest message.
        max_nodes: the most nodes that a session, or a part of a step, may have.
        max_sessions: the most sessions that a server keeps for others.
        max_calls: how many calls may be under way at the same time.
        shared_memory: how many bytes may be shared with a server of this machine, so that large tensors need not be sent.
        keepalive: after how many seconds without an answer a connection is asked whether it lives.
        keepalive_timeout: how many seconds it has to answer.
    """

    bind: str = ""
    token: str = field(default="", repr=False)
    certificate: str = ""
    key: str = ""
    authority: str = ""
    allowed: frozenset[str] = frozenset()
    max_message_bytes: int = _MAX_MESSAGE
    max_nodes: int = 1_000_000
    max_sessions: int = 1000
    max_calls: int = 2000
    shared_memory: int = 1 << 32
    keepalive: float = 20.0
    keepalive_timeout: float = 20.0

    @property
    def uses_tls(self) -> bool:
        """Whether connections are encrypted."""
        return bool(self.certificate or self.authority)

    def read(self, path: str) -> bytes | None:
        """What a file of the settings holds, None if none is named."""
        return Path(path).read_bytes() if path else None


def from_environment(environment: Mapping[str, str] | None = None) -> ClusterSettings:
    """The settings that environment variables make.

    Args:
        environment: the variables; those of the process by default.

    Raises:
        ValueError: for a value that is none.

    Example:
        >>> from_environment({"HEADRACE_CLUSTER_ALLOW": "files"}).allowed
        frozenset({'files'})
    """
    given = os.environ if environment is None else environment

    def text(name: str) -> str:
        return given.get(_PREFIX + name, "")

    def number(name: str, default: float, none: bool = False) -> float:
        value = text(name)
        try:
            found = float(value) if value else default
        except ValueError:
            found = -1.0
        if found < 0 or not (found or none):
            raise ValueError(
                f"{_PREFIX}{name} must be a number {'of at least 0' if none else 'above 0'}, got {value!r}"
            )
        return found

    allowed = frozenset(part.strip() for part in text("ALLOW").split(",") if part.strip())
    if allowed - {FILES, PYTHON, PLAINTEXT, CLUSTERS}:
        known = f"'{FILES}', '{PYTHON}', '{PLAINTEXT}', '{CLUSTERS}'"
        raise ValueError(f"{_PREFIX}ALLOW must name some of {known}, got {text('ALLOW')!r}")
    if bool(text("TLS_CERTIFICATE")) != bool(text("TLS_KEY")):
        raise ValueError(f"{_PREFIX}TLS_CERTIFICATE and {_PREFIX}TLS_KEY must be given together")
    return ClusterSettings(
        bind=text("BIND"),
        token=text("TOKEN"),
        certificate=text("TLS_CERTIFICATE"),
        key=text("TLS_KEY"),
        authority=text("TLS_AUTHORITY"),
        allowed=allowed,
        max_message_bytes=min(_MAX_MESSAGE, int(number("MAX_MESSAGE_BYTES", _MAX_MESSAGE))),
        max_nodes=int(number("MAX_NODES", 1_000_000)),
        max_sessions=int(number("MAX_SESSIONS", 1000)),
        max_calls=int(number("MAX_CALLS", 2000)),
        shared_memory=int(number("SHARED_MEMORY_BYTES", 1 << 32, none=True)),
        keepalive=number("KEEPALIVE_SECONDS", 20.0),
        keepalive_timeout=number("KEEPALIVE_TIMEOUT_SECONDS", 20.0),
    )


def channel_options(settings: ClusterSettings) -> list[tuple[str, int]]:
    """The arguments of gRPC that servers and channels share."""
    return [
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", settings.max_message_bytes),
        ("grpc.keepalive_time_ms", int(settings.keepalive * 1000)),
        ("grpc.keepalive_timeout_ms", int(settings.keepalive_timeout * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.ping_timeout_ms", int(settings.keepalive_timeout * 1000)),
        ("grpc.http2.max_pings_without_data", 0),
        # Messages are large: what one side may send before the other has read, and how much is read at once.
        ("grpc.http2.lookahead_bytes", 1 << 26),
        ("grpc.http2.max_frame_size", (1 << 24) - 1),
        ("grpc.experimental.tcp_read_chunk_size", 1 << 20),
        ("grpc.experimental.tcp_max_read_chunk_size", 1 << 24),
        # Each process is on its own: no proxy stands between them, and none of the machine's settings is asked for one.
        ("grpc.enable_http_proxy", 0),
    ]
