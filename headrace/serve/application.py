"""The REST interface for a server of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from headrace.serve.codecs import Codec
from headrace.serve.graph_files import tensors_by_name
from headrace.serve.model_configs import GraphSignature, ModelConfig
from headrace.serve.model_server import ModelServer, ServerOptions
from headrace.serve.rest_app import RestApplication, RestOptions


def app(
    model_base_path: str = "",
    model_name: str = "default",
    *,
    inputs: Iterable[str] | Mapping[str, str] = (),
    outputs: Iterable[str] | Mapping[str, str] = (),
    codec: Codec | None = None,
    model_config_file: str = "",
    server_options: ServerOptions | None = None,
    rest_options: RestOptions | None = None,
) -> RestApplication:
    """An ASGI application that serves models over REST; they are loaded when its lifespan begins.

    Args:
        model_base_path: the folder with a folder for each version of the model, named by its number.
        model_name: what the model is called in requests.
        inputs, outputs: where the path is a GraphDef or a checkpoint instead, its tensors: `name=tensor:0` or `tensor:0`.
        codec: what makes arrays of the bodies that are posted to `/`, and answers of arrays.
        model_config_file: instead of one model, a file that lists several (a `ModelServerConfig` in text form).
        server_options: how models are loaded and run.
        rest_options: how requests are received.

    Raises:
        ValueError: if neither a model nor a file is named, or both.

    Example:
        application = headrace.serve.app("/models/half_plus_two", "half_plus_two")
        uvicorn.run(application, port=8501)
    """
    if bool(model_base_path) == bool(model_config_file):
        raise ValueError("Name a model_base_path or a model_config_file, and not both.")
    options = server_options or ServerOptions()
    graph = GraphSignature(tensors_by_name(inputs), tensors_by_name(outputs)) if outputs else None
    models = [ModelConfig(model_name, model_base_path, graph=graph)] if model_base_path else []
    rest = rest_options or RestOptions()
    if codec is not None:
        rest = replace(rest, codec=codec, codec_model=model_name)
    if model_config_file:
        options = replace(options, config_file=model_config_file)
    return RestApplication(ModelServer(models, options), rest, owns_server=True)
