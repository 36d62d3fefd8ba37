"""Collecting and printing the plans that a program's sessions make."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import click


class Explained(Protocol):
    """What a plan says about itself."""

    summary: str
    source: str


@contextmanager
def collected_plans() -> Iterator[list[Explained]]:
    """Inside, every plan a session makes is added to the list given."""
    listeners = importlib.import_module("headrace.runtime.session").plan_listeners
    plans: list[Explained] = []
    listeners.append(plans.append)
    try:
        yield plans
    finally:
        listeners.remove(plans.append)


def print_plans(plans: Sequence[Explained]) -> None:
    """Prints what each plan is for and the function it became."""
    if not plans:
        click.echo("# no plan was made: the program ran no session")
    for number, plan in enumerate(plans, 1):
        heading = f"plan {number} of {len(plans)}" if len(plans) > 1 else "plan"
        click.echo(f"# {heading}: {plan.summary}".replace("\n", "\n# "))
        click.echo(plan.source.rstrip("\n") + "\n")
