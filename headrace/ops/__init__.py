"""The declarations of ops by family, with the thin public functions over them."""

from __future__ import annotations

import importlib
import pkgutil


def declare_all() -> None:
    """Imports every op family, so that all op types are declared."""
    for module in pkgutil.walk_packages(__path__, __name__ + "."):
        importlib.import_module(module.name)
