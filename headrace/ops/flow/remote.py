"""What stands in plans for the parts that other tasks of a cluster run: see `plan.tasks`."""

from __future__ import annotations

from headrace.core.registry import op

remote_call = op("_RemoteCall", "inputs: *T, *, T: list(type) >= 0 -> call: variant", stateful=True)
remote_result = op("_RemoteResult", "call: variant, *, T: list(type) >= 0 -> outputs: *T", stateful=True).comes_late()
remote_wait = op("_RemoteWait", "call: variant, *, T: list(type) >= 0 -> outputs: *T", stateful=True).waits()


@remote_call.kernel
def remote_call_kernel(node):
    """Sends what a part needs and returns the call, which is under way."""
    return node.runtime.tasks.caller(node.notes["part"], node.runtime)


@remote_result.kernel
@remote_wait.kernel
def remote_result_kernel(node):
    """Waits for a call and returns what it gives."""
    waits = node.runtime.waits

    def result(call):
        return waits.wait(call)

    result.start = lambda call: call
    return result


for _decl in (remote_call, remote_result, remote_wait):
    _decl.not_differentiable().no_case("Only plans of clusters have it: tests/cluster.")
