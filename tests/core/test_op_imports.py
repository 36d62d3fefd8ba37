"""Files of ops are imported when an op is first used, by whichever thread that is."""

from __future__ import annotations

import threading
from types import ModuleType

from headrace.api import op_index


def test_one_thread_at_a_time_imports(monkeypatch):
    """Python lets one of two threads fail that import a package and one of its modules, and the failure would be kept."""
    inside = threading.Lock()
    begun = threading.Barrier(4)
    overlaps = []

    def load(name):
        if not inside.acquire(blocking=False):
            overlaps.append(name)
            return ModuleType(name)
        # Others would come in now.
        for _ in range(2000):
            pass
        inside.release()
        return ModuleType(name)

    def use():
        begun.wait()
        for kind in ("MatMul", "Add", "Relu", "ConcatV2") * 50:
            assert op_index.declare(kind)

    monkeypatch.setattr(op_index.importlib, "import_module", load)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not overlaps
