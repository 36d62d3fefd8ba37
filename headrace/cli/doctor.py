"""`headrace doctor`: what this process computes with."""

from __future__ import annotations

import platform
import sys

import click


@click.command()
def doctor() -> None:
    """Say what Headrace runs on: Python, torch, threads, devices, and whether the native runner is on."""
    import numpy
    import torch

    import headrace as package
    from headrace import native
    from headrace.core.version import VERSION

    devices = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    for name, what in (
        ("headrace", f"{package.__headrace_version__} (TensorFlow {VERSION}) in {package.__path__[0]}"),
        ("python", f"{sys.version.split()[0]}, {platform.system()} on {platform.machine()}"),
        ("torch", f"{torch.__version__}, {torch.backends.cpu.get_cpu_capability()}"),
        ("numpy", numpy.__version__),
        ("threads", f"{torch.get_num_threads()} within an op, {torch.get_num_interop_threads()} between ops"),
        ("gpus", ", ".join(devices) or "none"),
        ("native", native.description()),
    ):
        click.echo(f"{name:<9} {what}")
