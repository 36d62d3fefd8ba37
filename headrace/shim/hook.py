"""`import tensorflow` gives Headrace: a finder that lets the names of `tensorflow` stand for ours."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from headrace.api.lazy import ROOT_ALIAS, Namespace, RootView, alias_spec
from headrace.shim.keras_package import install_as_keras
from headrace.shim.old_names import restore_old_names
from headrace.shim.old_versions import restore_version
from headrace.shim.tools import spec_of_tool

if TYPE_CHECKING:
    from importlib.metadata import DistributionFinder

    from headrace.shim.distribution import TensorFlowDistribution

# The attribute by which a module `tensorflow` on the disk says that it is ours.
MARK = "__headrace_shim__"

# Packages that had slim by itself, and its networks: they stand for ours where they are not installed.
_SLIM = {"tf_slim": "headrace.contrib.slim", "nets": "headrace.contrib.slim.nets", "tensorflow_estimator": "headrace"}


def _spec_beside(fullname: str) -> ModuleSpec | None:
    """The spec of one of the packages that stand for parts of ours, or of a module below it; None for other names."""
    first, dot, rest = fullname.partition(".")
    if first not in _SLIM:
        return None
    target_name = f"{_SLIM[first]}{dot}{rest}"
    return alias_spec(fullname, target_name) if importlib.util.find_spec(target_name) is not None else None


class SlimFinder:
    """Makes `tf_slim`, `nets` and `tensorflow_estimator` ours; asked last, so that packages of that name come first."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of one of these packages; None for other names."""
        return _spec_beside(fullname)


class TensorFlowFinder:
    """Makes `tensorflow.x.y` the module object `headrace.x.y`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of `tensorflow` or a module below it; None for other names.

        Raises:
            ModuleNotFoundError: for a module below `tensorflow` that is not here. (A search of
                the package's folders would find implementation modules, and load them a second time.)
        """
        if fullname == "tensorflow":
            return alias_spec(fullname, f"headrace.{ROOT_ALIAS}")
        if not fullname.startswith("tensorflow."):
            # Below a package that is ours a search of its folders would load modules a second time.
            first, dot, _ = fullname.partition(".")
            is_ours = bool(dot) and first in _SLIM and sys.modules.get(first) is sys.modules.get(_SLIM[first])
            return _spec_beside(fullname) if is_ours else None
        tool = spec_of_tool(fullname)
        if tool is not None:
            return tool
        target_name = f"headrace.{fullname.removeprefix('tensorflow.')}"
        if importlib.util.find_spec(target_name) is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}{_advice(target_name)}", name=fullname)
        return alias_spec(fullname, target_name)

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[TensorFlowDistribution]:
        """What `importlib.metadata.version("tensorflow")` reads; listings of packages stay as they are."""
        if context is not None and context.name == "tensorflow":
            from headrace.shim.distribution import TensorFlowDistribution, is_installed

            # Where the package is installed, its metadata says the same and more.
            if not is_installed(context):
                yield TensorFlowDistribution()


def _advice(target_name: str) -> str:
    """What to do about a module that is not there: the word of the table above it, or close spellings."""
    import difflib

    parent, _, leaf = target_name.rpartition(".")
    above = importlib.import_module(parent)
    if isinstance(above, Namespace):
        told = above.__advice__(leaf)
        return f"; {told}" if told else ""
    close = difflib.get_close_matches(leaf, dir(above), n=3, cutoff=0.75)
    return f"; close: {', '.join(close)}" if close else ""


_FINDER = TensorFlowFinder()
_SLIM_FINDER = SlimFinder()


def install_as_tensorflow(*, keras: bool = True, version: str | None = None, old_names: bool = True) -> ModuleType:
    """Makes `import tensorflow`, and every module below it, resolve to Headrace in this process.

    `tensorflow.nn` is then the very module `headrace.nn`; `tensorflow.__version__` is 1.15.5's. Calling it
    again changes nothing.

    Args:
        keras: whether `import keras` gives the stand-alone Keras 2.3 of those years, served by Headrace too; one
            that has been imported already stays.
        version: the version before 1.0 that programs here are of, such as "0.8", whose calls then mean what they meant
            (argument orders, defaults); None for 1.x.
        old_names: whether NumPy, SciPy, Pillow and the standard library get back the names that they have dropped since
            (`np.float`, `np.asfarray`, `Image.ANTIALIAS`), as programs of those years use them.

    Returns:
        the module that `import tensorflow` gives.

    Raises:
        ImportError: if another TensorFlow has been imported already.
        ValueError: if `version` is none of TensorFlow's.

    Example:
        >>> import headrace
        >>> tf = headrace.install_as_tensorflow()
        >>> import tensorflow
        >>> tensorflow is tf, tensorflow.__version__
        (True, '1.15.5')
    """
    present = sys.modules.get("tensorflow")
    if present is not None and not isinstance(present, RootView) and not hasattr(present, MARK):
        where = getattr(present, "__file__", None) or "an unknown place"
        raise ImportError(
            f"Another tensorflow is imported already (from {where}), and its modules cannot be exchanged. "
            "Call headrace.install_as_tensorflow() before anything imports tensorflow.",
            name="tensorflow",
        )
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
        sys.meta_path.append(_SLIM_FINDER)
    if keras:
        install_as_keras()
    view = importlib.import_module(f"headrace.{ROOT_ALIAS}")
    sys.modules["tensorflow"] = view
    if version is not None:
        restore_version(version)
    if old_names:
        restore_old_names()
    return view
