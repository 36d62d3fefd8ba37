"""TensorFlow's command-line tools under their modules' names: `python -m tensorflow.python.tools.freeze_graph`."""

from __future__ import annotations

from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

# Each tool and the command of `headrace` that it is, under the options of the tool.
COMMAND_OF = {
    "tensorflow.python.tools.freeze_graph": "freeze",
    "tensorflow.python.tools.import_pb_to_tensorboard": "import-pb",
    "tensorflow.python.tools.inspect_checkpoint": "inspect",
    "tensorflow.python.tools.optimize_for_inference": "optimize",
    "tensorflow.python.tools.saved_model_cli": "saved-model",
    "tensorflow.python.tools.strip_unused": "strip",
    "tensorflow.tools.graph_transforms": "transform",
}

_OUT_OF_SCOPE = (
    "rewrites programs for TensorFlow 2. Headrace runs programs of TensorFlow 1 as they are; "
    "TensorFlow 2's own tf_upgrade_v2 does that (pip install tensorflow)."
)
# Tools that are not here, with what to do instead.
ADVICE = {
    "tensorflow.tools.compatibility.tf_upgrade_v2": _OUT_OF_SCOPE,
    "tensorflow.tools.compatibility.tf_upgrade": _OUT_OF_SCOPE,
}

# Those that TensorFlow's package puts beside `python`.
_CONSOLE = ("freeze_graph", "saved_model_cli", "tf_upgrade_v2")


def spec_of_tool(fullname: str) -> ModuleSpec | None:
    """The spec of what `python -m` runs for a tool.

    Args:
        fullname: the module's name: the tool's itself, or its `__main__`.

    Returns:
        None if it is no tool.
    """
    tool = fullname.removesuffix(".__main__")
    if tool in ADVICE or (tool in COMMAND_OF and tool != fullname):
        return ModuleSpec(fullname, _ToolLoader(tool), origin=f"<headrace {COMMAND_OF.get(tool, 'tool')}>")
    return None


class _ToolLoader(InspectLoader):
    """The program of a tool.

    Args:
        tool: the full name of its module in TensorFlow.
    """

    def __init__(self, tool: str) -> None:
        self.tool = tool

    def get_source(self, fullname: str) -> str:
        """The source of the program."""
        if self.tool in ADVICE:
            text = f"{self.tool.rpartition('.')[2]} {ADVICE[self.tool]}"
            return f"import sys\nif __name__ == '__main__':\n    sys.exit({text!r})\n"
        command = COMMAND_OF[self.tool]
        return f"from headrace.cli.commands import run_tool\nrun_tool({command!r}, {self.tool!r})\n"

    def get_code(self, fullname: str) -> CodeType:
        """The code of the program."""
        return compile(self.get_source(fullname), f"<{self.tool}>", "exec")

    def is_package(self, fullname: str) -> bool:
        """It is none."""
        return False

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs the program in a module."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102  its own text above


def console_scripts() -> dict[str, str]:
    """The modules of the commands that TensorFlow's package puts beside `python`, by the commands' names."""
    named = (*COMMAND_OF, *ADVICE)
    return {module.rpartition(".")[2]: module for module in named if module.rpartition(".")[2] in _CONSOLE}
