"""The page at `/`: signatures with a form that tries them, the state of versions, latencies."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from headrace.core import errors
from headrace.serve.metrics import LATENCY_BUCKETS, REQUEST_LATENCY
from headrace.serve.model_server import ModelServer
from headrace.serve.servable import Port

HTML = (resources.files("headrace.serve") / "page.html").read_text("utf-8")
# Nothing from elsewhere, and in no other page's frame.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


def state(server: ModelServer, codec_model: str = "") -> str:
    """What the page shows, as JSON: models with versions and signatures, and latencies.

    Args:
        server: the models.
        codec_model: the one that understands what is posted to `/`, if there is one.
    """
    models = []
    for name in sorted(server.models):
        shown: dict[str, Any] = {"name": name, "versions": [], "signatures": {}}
        try:
            for one in server.status(name).model_version_status:
                shown["versions"].append(
                    {"version": one.version, "state": one.State.Name(one.state), "error": one.status.error_message}
                )
            with server.using(name) as servable:
                for key, signature in sorted(servable.signatures.items()):
                    shown["signatures"][key] = {
                        "method": signature.method,
                        "inputs": {alias: _port(port) for alias, port in signature.inputs.items()},
                        "outputs": {alias: _port(port) for alias, port in signature.outputs.items()},
                    }
        except errors.NotFoundError as error:
            shown["error"] = error.message
        models.append(shown)
    latencies = [
        {"labels": dict(labels), "counts": counts}
        for labels, counts in server.metrics.histograms(REQUEST_LATENCY).items()
    ]
    return json.dumps({"models": models, "latencies": latencies, "buckets": LATENCY_BUCKETS, "codec": codec_model})


def _port(port: Port) -> dict[str, Any]:
    shape = None if port.shape.rank is None else port.shape.as_list()
    return {"dtype": port.dtype.name, "shape": shape}
