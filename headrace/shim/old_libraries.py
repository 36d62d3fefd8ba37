"""Names that Pillow and SciPy have dropped since, and modules that Python has, which programs of TensorFlow 1's years use.

As those of NumPy in `old_names`, the runner puts them back for the program it runs, when it imports the library.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from headrace.shim import old_images
from headrace.shim.after_import import after_import

# Modules that Python has dropped, and what stands for them.
_DROPPED = {
    "imp": "old_imp",
    "distutils": "old_distutils",
    "distutils.spawn": "old_distutils",
    "distutils.util": "old_distutils",
    "distutils.version": "old_distutils",
}

_SIGNAL_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
    "general_gaussian hamming hann kaiser nuttall parzen triang tukey"
)


def restore_library_names() -> None:
    """Gives Pillow and SciPy, once they are imported, the names that are missing, and lets dropped modules be found."""
    after_import("PIL", _restore_pillow)
    after_import("PIL.Image", _restore_images)
    after_import("PIL.ImageDraw", _restore_drawing)
    after_import("PIL.ImageFont", _restore_fonts)
    after_import("scipy", _restore_scipy)
    after_import("scipy.misc", _restore_misc)
    after_import("scipy.signal", _restore_signal)
    after_import("scipy.integrate", _restore_integrate)
    after_import("scipy.linalg", lambda linalg: _add(linalg, {"pinv2": linalg.pinv}))
    if not any(isinstance(finder, _DroppedModules) for finder in sys.meta_path):
        sys.meta_path.append(_DroppedModules())


def _add(owner: Any, names: dict[str, Any]) -> None:
    for name, value in names.items():
        if name not in vars(owner):
            setattr(owner, name, value)


class _DroppedModules:
    """Finds modules that Python itself had; asked last, so that what an environment has comes first."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of one of them under its old name; None for other names."""
        if fullname not in _DROPPED:
            return None
        source = importlib.util.find_spec(f"{__package__}.{_DROPPED[fullname]}")
        if source is None or source.origin is None:
            return None
        folders: list[str] | None = [] if fullname == "distutils" else None
        return importlib.util.spec_from_file_location(fullname, source.origin, submodule_search_locations=folders)


def _restore_pillow(pillow: ModuleType) -> None:
    version = pillow.__dict__.get("__version__")
    _add(pillow, {"PILLOW_VERSION": version, "VERSION": version})


def _restore_images(image: Any) -> None:
    kinds = image.Resampling
    _add(image, {"ANTIALIAS": kinds.LANCZOS, "LINEAR": kinds.BILINEAR, "CUBIC": kinds.BICUBIC})


def _restore_drawing(drawing: Any) -> None:
    def textsize(self: Any, text: str, font: Any = None, spacing: float = 4, **more: Any) -> tuple[int, int]:
        """The width and height of text, in pixels."""
        left_top_right_bottom = self.textbbox((0, 0), text, font, spacing=spacing, **more)
        return int(left_top_right_bottom[2]), int(left_top_right_bottom[3])

    _add(drawing.ImageDraw, {"textsize": textsize, "multiline_textsize": textsize})


def _restore_fonts(fonts: Any) -> None:
    def getsize(self: Any, text: str, *more: Any, **named: Any) -> tuple[int, int]:
        """The width and height of text, in pixels."""
        box = self.getbbox(text, *more, **named)
        return int(box[2]), int(box[3])

    for kind in (fonts.ImageFont, fonts.FreeTypeFont):
        _add(kind, {"getsize": getsize})


def _restore_scipy(scipy: Any) -> None:
    """SciPy passed NumPy's functions on, with complex results where a real number has none."""
    import numpy as np

    names = {name: getattr(np, name) for name in np.__all__ if not isinstance(getattr(np, name), ModuleType)}
    names.update({name: getattr(np.emath, name) for name in np.emath.__all__})
    names.update(rand=np.random.rand, randn=np.random.randn, ifft=np.fft.ifft)
    kept = {name: value for name, value in names.items() if not name.startswith("_") and name not in dir(scipy)}
    _add(scipy, kept)


def _restore_misc(misc: Any) -> None:
    special = importlib.import_module("scipy.special")
    _add(misc, {name: getattr(old_images, name) for name in old_images.__all__})
    _add(
        misc, {name: getattr(special, name) for name in ("comb", "factorial", "factorial2", "factorialk", "logsumexp")}
    )


def _restore_signal(signal: Any) -> None:
    windows = importlib.import_module("scipy.signal.windows")
    _add(signal, {name: getattr(windows, name) for name in _SIGNAL_WINDOWS.split()})


def _restore_integrate(integrate: Any) -> None:
    former = {"trapz": "trapezoid", "cumtrapz": "cumulative_trapezoid", "simps": "simpson"}
    _add(integrate, {name: getattr(integrate, now) for name, now in former.items()})
