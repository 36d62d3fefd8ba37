"""docs/serving.md: what it names is there."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest
import yaml

import headrace.serve
from headrace.cli.serve import serve
from headrace.serve import messages
from headrace.serve.batching import BatchingOptions, batching_options
from headrace.serve.codecs import load_codec
from headrace.serve.model_configs import model_configs, parse_text

TEXT = (Path(headrace.serve.__file__).parents[2] / "docs" / "serving.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)
# Of curl, pip and useradd.
OTHERS = {"data-binary", "no-cache-dir", "create-home", "help"}


def block(beginning, kind=""):
    (found,) = [text for language, text in BLOCKS if language == kind and text.startswith(beginning)]
    return found


def test_its_flags_are_those_of_the_command():
    flags = {name.removeprefix("--") for option in serve.params for name in option.opts}
    named = set(re.findall(r"--([a-z][a-z_-]*[a-z])", TEXT))
    assert named - OTHERS <= flags


def test_its_configurations_are_read():
    models = model_configs(parse_text(block("model_config_list"), messages.ModelServerConfig(), "docs"))
    assert [model.name for model in models] == ["half", "iris"]
    assert models[0].policy.specific == {1, 2}
    assert models[0].labels == {"stable": 1, "canary": 2}
    found = batching_options(parse_text(block("max_batch_size"), messages.BatchingParameters(), "docs"))
    assert found == BatchingOptions(64, 0.001, 100, 2, (16, 64))


def test_its_handler_is_one(tmp_path):
    (tmp_path / "handler.py").write_text(block("# handler.py", "python"))
    found = load_codec(str(tmp_path / "handler.py"))
    assert found.decode({"probabilities": [0.25, 0.75]}) == {"class": 1, "probability": 0.75}


def test_its_recipes_start_the_server():
    def understood(arguments):
        with serve.make_context("serve", list(arguments), resilient_parsing=False) as context:
            return context.params

    (container,) = yaml.safe_load(block("apiVersion", "yaml"))["spec"]["template"]["spec"]["containers"]
    lines = dict(re.findall(r"^(ENTRYPOINT|CMD) \[(.*)\]$", block("FROM", "dockerfile"), re.MULTILINE))
    entry, default = (re.findall(r'"([^"]*)"', lines[key]) for key in ("ENTRYPOINT", "CMD"))
    assert entry[:2] == ["headrace", "serve"]
    assert understood([*entry[2:], *default])["rest_api_port"] == 8501
    params = understood([*entry[2:], *container["args"]])
    assert params["model_base_path"] == "/models/half"
    ports = {params["port"], params["rest_api_port"]}
    assert ports == {port["containerPort"] for port in container["ports"]}
    assert {container[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")} == {
        "/readyz",
        "/healthz",
    }
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.read_string(block("# /etc/systemd", "ini"))
    command = unit["Service"]["ExecStart"].split()
    assert command[:2] == ["/opt/headrace/bin/headrace", "serve"]
    assert understood(command[2:])["model_config_file"] == "/etc/headrace/models.config"
    # There is time for what has to end.
    assert int(unit["Service"]["TimeoutStopSec"]) > params["grace_seconds"]
    grace = yaml.safe_load(block("apiVersion", "yaml"))["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace > params["drain_seconds"] + params["grace_seconds"]


@pytest.mark.parametrize("name", ["Predict", "GetModelStatus", "HandleReloadConfigRequest"])
def test_its_calls_are_in_the_protocol(name):
    services = ("PredictionService", "ModelService")
    found = [messages.POOL.FindServiceByName(f"tensorflow.serving.{service}") for service in services]
    assert name in TEXT
    assert any(name in service.methods_by_name for service in found)
