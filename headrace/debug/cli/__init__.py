"""The parts that commands of the debugger are made of: texts with attributes, menus, registries, readers of arguments."""
