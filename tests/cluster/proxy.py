"""A connection that fails: what stands between two tasks and forwards, stands still, or cuts."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    """Forwards connections to an address.

    Args:
        address: where it listens, "host:port".
        behind: where it connects to.
    """

    def __init__(self, address: str, behind: str) -> None:
        (host, port), (far_host, far_port) = (each.rsplit(":", 1) for each in (address, behind))
        self._behind = far_host, int(far_port)
        self._listener = socket.create_server((host, int(port)))
        self._open: list[socket.socket] = []
        self._forwards = threading.Event()
        self._forwards.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Takes what comes and passes nothing on."""
        self._forwards.clear()

    def cut(self) -> None:
        """Ends the connections there are; new ones are forwarded."""
        while self._open:
            with contextlib.suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)
        self._forwards.set()

    def close(self) -> None:
        """Ends."""
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self._behind)
            except OSError:
                near.close()
                continue
            self._open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError), source:
            while data := source.recv(1 << 16):
                self._forwards.wait()
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
