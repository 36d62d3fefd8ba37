"""`headrace serve`: the flags of tensorflow_model_server, and what is particular to this one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from headrace.messages import protos
    from headrace.serve.batching import BatchingOptions
    from headrace.serve.model_configs import ModelConfig
    from headrace.serve.model_server import ServerOptions
    from headrace.serve.running import ProcessOptions

_Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def _flag(name: str, text: str, *, on: bool = False) -> _Option:
    """A flag as TensorFlow's programs have them: `--x`, `--x=true`, `--x=false`."""
    return click.option(name, is_flag=False, flag_value=True, default=on, type=bool, show_default=True, help=text)


def _number(name: str, default: int, text: str) -> _Option:
    return click.option(name, default=default, type=int, show_default=True, help=text)


def _text(name: str, text: str, default: str = "") -> _Option:
    return click.option(name, default=default, help=text)


# Of REST, where a graph is served: what posts to it speaks HTTP.
_GRAPH_PORT = 8501
_OPTIONS: tuple[_Option, ...] = (
    _text("--model_name", "What the model is called in requests.", "default"),
    _text("--model_base_path", "The folder with a folder for each version of the model."),
    _text("--model_config_file", "A ModelServerConfig in text form: several models, with policies and labels."),
    _number("--model_config_file_poll_wait_seconds", 0, "Read that file again every so many seconds; 0 for once."),
    _number("--port", 8500, "The port of gRPC; 0 for none."),
    _number("--rest_api_port", 0, "The port of REST; 0 for none."),
    _text("--grpc_socket_path", "A unix socket for gRPC."),
    _text("--rest_socket_path", "A unix socket for REST."),
    _text("--host", "The address to listen on.", "0.0.0.0"),
    _number("--rest_api_num_threads", 0, "How many REST requests are answered at once; 0 as many as help."),
    _number("--rest_api_timeout_in_ms", 30000, "How long a REST request may take."),
    _number("--rest_api_max_body_mb", 256, "The largest body of a REST request."),
    _flag("--rest_api_enable_cors_support", "Let pages of other origins ask."),
    _text("--rest_certificate", "A file with certificates: REST over TLS."),
    _text("--rest_key", "The file of the key that belongs to them."),
    _flag("--page", "Show a page at / of the REST port.", on=True),
    _flag("--enable_batching", "Put requests together."),
    _text("--batching_parameters_file", "How: a BatchingParameters in text form."),
    _flag("--allow_version_labels_for_unavailable_models", "Let labels name versions that are not there yet."),
    _number("--file_system_poll_wait_seconds", 1, "How often to look for new versions; 0 once, below 0 never."),
    _number("--num_load_threads", 0, "How many versions are loaded at once; 0 one after the other."),
    _number("--max_num_load_retries", 5, "How often a version that fails to load is tried again."),
    _number("--load_retry_interval_micros", 60_000_000, "How long after the last time."),
    _number("--tensorflow_session_parallelism", 0, "Threads of an operation; 0 for as many as there are cores."),
    _number("--tensorflow_intra_op_parallelism", 0, "The same."),
    _text("--tensorflow_session_config_file", "A ConfigProto in text form for the models' sessions."),
    _text("--ssl_config_file", "An SSLConfig in text form: gRPC over TLS."),
    _text("--monitoring_config_file", "A MonitoringConfig in text form: where the numbers for Prometheus are."),
    _text("--saved_model_tags", "The tags of the graphs to load, divided by commas.", "serve"),
    _text("--grpc_channel_arguments", "Arguments of gRPC: name=value, divided by commas."),
    _number("--grpc_max_threads", 16, "How many requests over gRPC are answered at once."),
    _flag("--enable_model_warmup", "Run the requests that come with a model before it is offered.", on=True),
    _number("--num_request_iterations_for_warmup", 1, "How often each of them."),
    _flag("--enable_grpc_healthcheck_service", "Offer the standard health service.", on=True),
    _flag("--enable_serialization_as_tensor_content", "Answer with tensors as bytes."),
    _flag("--log_requests", "Log a line for each request."),
    _number("--workers", 1, "So many processes on the same ports."),
    _flag("--share_ports", "Let other processes listen on the same ports."),
    _number("--grace_seconds", 30, "How long requests may take to end after SIGTERM."),
    _number("--drain_seconds", 0, "How long /readyz and the health service say so before that."),
    _text("--inputs", "With GRAPH: the tensors that requests give, name=tensor:0 or tensor:0, divided by commas."),
    _text("--outputs", "With GRAPH: those that are answered, in the same form."),
    _text("--codec", "With GRAPH: a file or module with encode(body) and decode(outputs), for what is posted to /."),
    click.option("--describe", metavar="DIR", default="", help="Print what a model offers, and do nothing else."),
)


def _with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command()
@click.argument("graph", required=False, default="")
@_with_options
def serve(**flags: Any) -> None:
    """Serve SavedModels over REST and gRPC, to clients of TensorFlow Serving.

    \b
    headrace serve --model_base_path /models/half --model_name half --rest_api_port 8501
    curl -d '{"instances": [1.0, 2.0]}' localhost:8501/v1/models/half:predict

    GRAPH serves what is no SavedModel: a frozen GraphDef, or a checkpoint with its .meta file. A folder of checkpoints
    means the newest, and newer ones take over. REST is on port 8501 then unless another is named.

    \b
    headrace serve frozen.pb --inputs images=input:0 --outputs probabilities=softmax:0 --codec handler.py
    curl --data-binary @cat.jpg localhost:8501/
    """
    import headrace  # noqa: F401  # wires the rooms

    try:
        import grpc  # noqa: F401
        import httptools  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise click.ClickException(f"{error}. Serving needs more packages: pip install 'headrace[serve]'") from None
    from headrace.core.errors import OpError

    try:
        sys.exit(_serve(flags))
    except (OSError, ValueError, TypeError, RuntimeError, OpError) as error:
        raise click.ClickException(error.message if isinstance(error, OpError) else str(error)) from None


def _serve(flags: dict[str, Any]) -> int:
    from headrace.serve.describing import describe, describe_model
    from headrace.serve.model_configs import ModelConfig
    from headrace.serve.model_server import ModelServer
    from headrace.serve.running import serve as run_server
    from headrace.serve.workers import run_workers
    from headrace.util import tf_logging

    graph = _graph_config(flags)
    if flags["describe"]:
        tags = tuple(flags["saved_model_tags"].split(","))
        click.echo(describe(flags["describe"], tags) if graph is None else describe_model(graph))
        return 0
    if sum(map(bool, (flags["model_base_path"] or flags["model_config_file"], graph))) != 1:
        raise click.UsageError("Name a --model_base_path, a --model_config_file, or a GRAPH.")
    tf_logging.set_verbosity(tf_logging.INFO)
    if flags["workers"] > 1:
        if flags["grpc_socket_path"] or flags["rest_socket_path"]:
            raise click.UsageError("A unix socket belongs to one process: leave --workers out, or serve on ports.")
        return run_workers(flags["workers"], sys.argv[2:], flags["grace_seconds"] + flags["drain_seconds"])
    models = []
    if graph is not None:
        models = [graph]
        click.echo(describe_model(graph), err=True)
    # As there, a file of models goes before a single one.
    elif not flags["model_config_file"]:
        path = flags["model_base_path"]
        models = [ModelConfig(flags["model_name"], path if "://" in path else os.path.abspath(path))]
        click.echo(_first_description(models[0].base_path, flags), err=True)
    run_server(ModelServer(models, _server_options(flags)), _process_options(flags))
    return 0


def _graph_config(flags: dict[str, Any]) -> ModelConfig | None:
    """The model that GRAPH, or `--describe` together with `--inputs` and `--outputs`, names; None without one."""
    from headrace.serve.graph_files import read_graph, suggested_names, tensors_by_name
    from headrace.serve.model_configs import GraphSignature, ModelConfig, graph_versions

    path = flags["graph"] or (flags["describe"] if flags["outputs"] else "")
    named = [key for key in ("inputs", "outputs", "codec") if flags[key]]
    if not path:
        if named:
            raise click.UsageError(f"--{named[0]} belongs to a GRAPH; a SavedModel says itself what it offers.")
        return None
    path = path if "://" in path else os.path.abspath(path)
    versions = graph_versions(path)
    if not versions:
        raise click.UsageError(f"There is no graph and no checkpoint at {path}; SavedModels go by --model_base_path.")
    if not flags["outputs"]:
        raise click.UsageError(f"Name --inputs and --outputs. {suggested_names(read_graph(versions[max(versions)]))}")
    inputs = tensors_by_name(flags["inputs"]) if flags["inputs"] else {}
    signature = GraphSignature(inputs, tensors_by_name(flags["outputs"]))
    return ModelConfig(flags["model_name"], path, graph=signature)


def _first_description(path: str, flags: dict[str, Any]) -> str:
    """The table of what is about to be served; a model that is not there yet may still come."""
    from headrace.core.errors import OpError
    from headrace.serve.describing import describe

    try:
        return describe(path, tuple(flags["saved_model_tags"].split(",")))
    except (OSError, RuntimeError, OpError) as error:
        return f"{path}: {error}"


def _server_options(flags: dict[str, Any]) -> ServerOptions:
    from headrace.serve.model_server import ServerOptions

    return ServerOptions(
        tags=tuple(flags["saved_model_tags"].split(",")),
        session_config=_session_config(flags),
        poll_seconds=flags["file_system_poll_wait_seconds"],
        config_file=flags["model_config_file"],
        config_poll_seconds=flags["model_config_file_poll_wait_seconds"],
        load_retries=flags["max_num_load_retries"],
        retry_seconds=max(flags["load_retry_interval_micros"], 0) / 1e6,
        load_threads=max(flags["num_load_threads"], 1),
        warmup=flags["enable_model_warmup"],
        warmup_iterations=flags["num_request_iterations_for_warmup"],
        batching=_batching(flags),
        labels_ahead=flags["allow_version_labels_for_unavailable_models"],
    )


def _session_config(flags: dict[str, Any]) -> protos.ConfigProto:
    from google.protobuf import text_format

    from headrace.messages import protos

    config = protos.ConfigProto()
    if flags["tensorflow_session_config_file"]:
        with open(flags["tensorflow_session_config_file"], encoding="utf-8") as file:
            try:
                text_format.Parse(file.read(), config)
            except text_format.ParseError as error:
                raise ValueError(f"{flags['tensorflow_session_config_file']}: {error}") from None
    threads = flags["tensorflow_intra_op_parallelism"] or flags["tensorflow_session_parallelism"]
    if threads:
        config.intra_op_parallelism_threads = threads
    return config


def _batching(flags: dict[str, Any]) -> BatchingOptions | None:
    from headrace.serve import messages
    from headrace.serve.batching import batching_options
    from headrace.serve.model_configs import read_text

    if not flags["enable_batching"]:
        if flags["batching_parameters_file"]:
            raise click.UsageError("--batching_parameters_file needs --enable_batching.")
        return None
    message = messages.BatchingParameters()
    if flags["batching_parameters_file"]:
        read_text(flags["batching_parameters_file"], message)
    return batching_options(message)


def _process_options(flags: dict[str, Any]) -> ProcessOptions:
    from headrace.serve import messages
    from headrace.serve.codecs import load_codec
    from headrace.serve.model_configs import read_text
    from headrace.serve.rest_app import RestOptions
    from headrace.serve.running import ProcessOptions

    metrics_path = RestOptions.metrics_path
    if flags["monitoring_config_file"]:
        prometheus = read_text(flags["monitoring_config_file"], messages.MonitoringConfig()).prometheus_config
        metrics_path = (prometheus.path or metrics_path) if prometheus.enable else ""
    rest = RestOptions(
        codec=load_codec(flags["codec"]) if flags["codec"] else None,
        codec_model=flags["model_name"],
        threads=flags["rest_api_num_threads"],
        timeout=flags["rest_api_timeout_in_ms"] / 1e3,
        max_body=flags["rest_api_max_body_mb"] << 20,
        cors=flags["rest_api_enable_cors_support"],
        metrics_path=metrics_path,
        page=flags["page"],
        log_requests=flags["log_requests"],
    )
    return ProcessOptions(
        host=flags["host"],
        grpc_port=flags["port"],
        rest_port=flags["rest_api_port"] or (_GRAPH_PORT if flags["graph"] and not flags["rest_socket_path"] else 0),
        grpc_socket=flags["grpc_socket_path"],
        rest_socket=flags["rest_socket_path"],
        credentials=_credentials(flags["ssl_config_file"]) if flags["ssl_config_file"] else None,
        grpc_threads=flags["grpc_max_threads"],
        grpc_options=_channel_arguments(flags["grpc_channel_arguments"]),
        as_content=flags["enable_serialization_as_tensor_content"],
        health=flags["enable_grpc_healthcheck_service"],
        rest=rest,
        rest_certificate=flags["rest_certificate"],
        rest_key=flags["rest_key"],
        grace=flags["grace_seconds"],
        drain=flags["drain_seconds"],
        share_ports=flags["share_ports"],
    )


def _credentials(path: str) -> Any:
    import grpc

    from headrace.serve import messages
    from headrace.serve.model_configs import read_text

    config = read_text(path, messages.SSLConfig())
    if config.client_verify and not config.custom_ca:
        raise ValueError(f"{path}: client_verify needs the certificates that it goes by, in custom_ca.")
    return grpc.ssl_server_credentials(
        [(config.server_key.encode(), config.server_cert.encode())],
        config.custom_ca.encode() or None,
        config.client_verify,
    )


def _channel_arguments(text: str) -> dict[str, int | str]:
    found: dict[str, int | str] = {}
    for part in filter(None, text.split(",")):
        name, given, value = part.partition("=")
        if not given:
            raise click.BadParameter(f"{part!r} is not name=value", param_hint="--grpc_channel_arguments")
        found[name] = int(value) if value.lstrip("-").isdigit() else value
    return found
