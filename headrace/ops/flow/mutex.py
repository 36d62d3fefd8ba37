"""Locks that steps hold for a while: the ops under `tf.CriticalSection`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.buffers import StateKey
from headrace.core.cases import made, result
from headrace.core.registry import op

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class _Mutex:
    def __init__(self) -> None:
        self.lock = threading.Lock()


class _Held:
    """A lock that is held until it is let go, or forgotten."""

    def __init__(self, mutex: _Mutex) -> None:
        self._mutex: _Mutex | None = None
        mutex.lock.acquire()
        self._mutex = mutex

    def release(self) -> None:
        mutex, self._mutex = self._mutex, None
        if mutex is not None:
            mutex.lock.release()

    def __del__(self) -> None:
        # A step that failed in between has not let it go.
        self.release()


mutex_op = op("MutexV2", "*, container='', shared_name='' -> resource: resource", stateful=True)
mutex_op.shape(lambda op: [()])


@mutex_op.kernel
def mutex_kernel(node: NodeView) -> Callable[..., Any]:
    name = node.attrs["shared_name"] or node.name
    made = node.runtime.object(StateKey("mutex", node.attrs["container"], name), _Mutex)
    return lambda: made


mutex_lock_op = op("MutexLock", "mutex: resource -> mutex_lock: variant", stateful=True).locks_mutex()
mutex_lock_op.shape(lambda op: [()])


@mutex_lock_op.kernel
def mutex_lock_kernel(node: NodeView) -> type:
    return _Held


consume_mutex_op = op("ConsumeMutexLock", "mutex_lock: variant ->", stateful=True).releases_lock()
consume_mutex_op.shape(lambda op: [])


@consume_mutex_op.kernel
def consume_mutex_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda held: held.release()


_MUTEX = made("MutexV2")
_LOCK = made("MutexLock", _MUTEX)
mutex_op.accepts(after=[made("ConsumeMutexLock", made("MutexLock", result))])
mutex_lock_op.accepts(_MUTEX, after=[made("ConsumeMutexLock", result)])
consume_mutex_op.accepts(_LOCK)
