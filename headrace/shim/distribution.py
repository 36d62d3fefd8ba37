"""What package metadata says about the `tensorflow` that Headrace serves."""

from __future__ import annotations

from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from os import PathLike
from typing import Any

from headrace.core.version import VERSION

METADATA = f"""\
Metadata-Version: 2.1
Name: tensorflow
Version: {VERSION}
Summary: TensorFlow 1.15's Python interface, served by Headrace
Requires-Dist: headrace
"""


class TensorFlowDistribution(Distribution):
    """The distribution `tensorflow` of a process in which Headrace stands for it."""

    def read_text(self, filename: str) -> str | None:
        """The text of a metadata file; None for files a distribution without a folder does not have."""
        return METADATA if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Any:
        """Refuses: no file belongs to it."""
        raise FileNotFoundError(f"tensorflow {VERSION} is served by Headrace and has no file {path}.")


def is_installed(context: DistributionFinder.Context) -> bool:
    """Whether the environment has the package that `headrace shim install` makes."""
    found = MetadataPathFinder.find_distributions(context)
    return any((distribution.read_text("INSTALLER") or "").strip() == "headrace" for distribution in found)
