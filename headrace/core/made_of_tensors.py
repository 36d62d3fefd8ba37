"""What values made of several tensors tell of their parts."""

from __future__ import annotations

from typing import Any

from headrace.core.operation import Operation


class MadeOfTensors:
    """A value that its `_type_spec` takes apart and puts together again."""

    # A property where it is computed.
    _type_spec: Any

    def _to_components(self) -> Any:
        """The tensors it is made of."""
        return self._type_spec._to_components(self)

    def _component_metadata(self) -> Any:
        """What besides the tensors is needed to make it."""
        return self._type_spec

    @staticmethod
    def _from_components(components: Any, metadata: Any) -> Any:
        """The value of some tensors."""
        return metadata._from_components(components)

    def _consumers(self) -> list[Operation]:
        """The operations that take one of its tensors, each once."""
        found: dict[Operation, None] = {}
        for part in self._to_components():
            found |= dict.fromkeys(part._consumers() if isinstance(part, MadeOfTensors) else part.consumers())
        return list(found)
