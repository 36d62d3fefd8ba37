"""Passes over a dataset in which its elements are written somewhere, for later passes to read."""

from __future__ import annotations

import os
import threading
import weakref

from headrace.core import errors
from headrace.kernels.data.base import Element, Iteration, Next


class Output:
    """Where elements are written, until all of them are there or it is given up."""

    def __init__(self) -> None:
        self._open = True
        self._process = os.getpid()
        # An iterator may be given up while another thread waits for its next element.
        self._changing = threading.Lock()

    def add(self, element: Element) -> None:
        """Writes an element; nothing once this is given up."""
        with self._changing:
            if self._open:
                self._write(element)

    def finish(self) -> None:
        """Has what was written taken for whole."""
        with self._changing:
            if self._open:
                self._complete()
                self._open = False

    def abandon(self) -> None:
        """Takes away what was written, if it is not whole."""
        with self._changing:
            # A child process has a copy of this, and nothing to take away.
            if self._open and os.getpid() == self._process:
                self._open = False
                self._discard()

    def _write(self, element: Element) -> None:
        raise NotImplementedError

    def _complete(self) -> None:
        raise NotImplementedError

    def _discard(self) -> None:
        raise NotImplementedError


class WritingPass:
    """A pass that hands on each element when it is written.

    Args:
        output: where to; it is given up with the iteration, with this object, or when the program ends.
        iteration: of the iterator.

    Attributes:
        upstream: gives the elements.
    """

    upstream: Next

    def __init__(self, output: Output, iteration: Iteration) -> None:
        self._output = output
        self._over = False
        self._failure: errors.OpError | None = None
        # A part of the pipeline may give this pass up before the iterator is, and another pass begin.
        iteration.when_closed(weakref.finalize(self, output.abandon))

    def next(self) -> Element | None:
        """The next element, None at the end.

        Raises:
            OpError: what the dataset raises, after which others may follow; or that it could not be written, which stays so.
        """
        if self._failure is not None:
            raise self._failure
        if self._over:
            return None
        element = self.upstream()
        try:
            if element is None:
                self._over = True
                self._output.finish()
            else:
                self._output.add(element)
        except errors.OpError as error:
            # Without this element the rest would be taken for whole.
            self._failure = error
            self._output.abandon()
            raise
        return element
