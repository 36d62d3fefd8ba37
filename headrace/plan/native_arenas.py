"""The memory of native programs in a step: taken when a program first runs in it, and given back at its end."""

from __future__ import annotations

from headrace.native.program import Program

# What each program has taken for the step.
Arenas = dict[Program, object]


def arena_of(program: Program, arenas: Arenas) -> object:
    """The program's memory in this step."""
    arena = arenas.get(program)
    if arena is None:
        arena = arenas[program] = program.lease()
    return arena


def give_back(arenas: Arenas) -> None:
    """Ends a step: what its programs have taken serves the next. That of a step that fails is left to the collector."""
    for program, arena in arenas.items():
        program.give_back(arena)
