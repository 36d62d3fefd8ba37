"""TensorFlow 1.x graphs, built in Python and run on PyTorch: `import headrace as tf`.

Every public name is listed in `headrace.api` and made when it is first used; nothing heavy is imported
before.
"""

import os
from typing import TYPE_CHECKING, Any

from headrace.api import wiring as _wiring
from headrace.api.lazy import serve as _serve
from headrace.core import slots as _slots
from headrace.core.version import VERSION
from headrace.shim import install_as_tensorflow as install_as_tensorflow
from headrace.util import tracebacks as _tracebacks

# A thread that waits for work spins no longer than this before it sleeps; by default it holds a core that other
# programs want, and a step beside a busy program then takes milliseconds. With less, threads sleep between the parts of
# one step, and waking them takes up to a tenth of it. Read once, when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "5000")

# What programs test is the version of the interface.
__version__ = VERSION
__headrace_version__ = "0.1.0"

_slots.wire(_wiring.find)
_serve(__name__)
_tracebacks.install()

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
