"""What TLS asks of both sides: keys that belong to their certificates, and why a server and a caller do not agree."""

from __future__ import annotations

import socket
import ssl

from headrace.cluster.settings import ClusterSettings
from headrace.core import errors

_CERTIFICATE, _KEY = "HEADRACE_CLUSTER_TLS_CERTIFICATE", "HEADRACE_CLUSTER_TLS_KEY"
_AUTHORITY = "HEADRACE_CLUSTER_TLS_AUTHORITY"
# How long a server may take for a handshake that is made to see what comes of it, in seconds.
_GLANCE = 1.0


def check_files(settings: ClusterSettings) -> None:
    """Checks the files that the settings name: gRPC's own words about them go to the standard error only.

    Raises:
        UnknownError: if the key does not belong to the certificate, or a file holds none; the class with which servers
            of TensorFlow say that they could not start.
        OSError: if a file cannot be read.
    """
    for path in (settings.certificate, settings.key, settings.authority):
        # The library of TLS does not say which file is not there.
        settings.read(path)
    trouble = _load(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), settings)
    if trouble:
        raise errors.UnknownError(None, None, f"Could not start gRPC server: {trouble}")


def _load(context: ssl.SSLContext, settings: ClusterSettings) -> str:
    """Takes the files of the settings into a context; returns what is wrong with them, "" if nothing is."""
    if settings.certificate:
        try:
            context.load_cert_chain(settings.certificate, settings.key, password=_no_password)
        except (ssl.SSLError, ValueError) as error:
            return (
                f"{_KEY} ({settings.key}) must be the unencrypted PEM file of the private key that "
                f"{_CERTIFICATE} ({settings.certificate}), a PEM file too, was made for: {_reason(error)}"
            )
    trusted = settings.authority or settings.certificate
    if trusted:
        try:
            context.load_verify_locations(trusted)
        except (ssl.SSLError, ValueError) as error:
            name = _AUTHORITY if settings.authority else _CERTIFICATE
            return f"{name} ({trusted}) must be a PEM file of certificates: {_reason(error)}"
    return ""


def _no_password() -> str:
    """Asks nobody at the terminal: servers take keys that are not encrypted."""
    raise ValueError("the key is encrypted")


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    reason = getattr(error, "reason", None)
    return reason.replace("_", " ").lower() if reason else str(error)


def no_agreement(server: str, reason: str) -> errors.UnavailableError:
    """The error for a server that this process cannot speak with however long it waits.

    Args:
        server: its name and address.
        reason: what is the matter.
    """
    return errors.UnavailableError(
        None, None, f"{server} agrees on no TLS with this task, see {_CERTIFICATE} and …_AUTHORITY: {reason}"
    )


def disagreement(address: str, settings: ClusterSettings) -> str:
    """Why a server does not hear this process, as far as a handshake of TLS tells; "" if it tells nothing.

    gRPC itself only says that the connection was closed: to who does not encrypt, or shows no certificate.

    Args:
        address: "host:port".
        settings: those of this process.
    """
    host, _, port = address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    if settings.uses_tls:
        trouble = _load(context, settings)
        if trouble:
            return trouble
    else:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    name = host.strip("[]")
    try:
        with socket.create_connection((name, int(port)), timeout=_GLANCE) as plain:
            return _handshake(plain, name, context, settings)
    except (OSError, ValueError, UnicodeError):
        # Nobody is there, or says nothing: the call has told so.
        return ""


def _handshake(plain: socket.socket, name: str, context: ssl.SSLContext, settings: ClusterSettings) -> str:
    shown = (
        f"{_CERTIFICATE} ({settings.certificate})" if settings.certificate else f"no certificate, see {_CERTIFICATE}"
    )
    refused = f"the server ends the connection to this process, which shows {shown}"
    try:
        with context.wrap_socket(plain, server_hostname=name) as encrypted:
            if settings.uses_tls:
                # Who asks for certificates refuses them after the handshake, where others begin to speak.
                return "" if encrypted.recv(1) else refused
    except ssl.SSLCertVerificationError as error:
        return f"this process does not trust the server's certificate, see {_AUTHORITY}: {_reason(error)}"
    except ConnectionResetError:
        return refused if settings.uses_tls else ""
    except ssl.SSLError as error:
        if error.reason == "WRONG_VERSION_NUMBER":
            # What has answered is no TLS.
            return "this process uses TLS, and the server does not" if settings.uses_tls else ""
        if settings.uses_tls:
            return f"{refused}: {_reason(error)}"
        if "ALERT" not in (error.reason or ""):
            return ""
    return f"the server uses TLS, and this process does not: set {_AUTHORITY}, or {_CERTIFICATE} and {_KEY}, here too"
