"""Square roots and logarithms of square matrices, those without a full set of eigenvectors among them."""

from __future__ import annotations

from collections.abc import Callable

import torch

Function = Callable[[torch.Tensor], torch.Tensor]

# How far, of its norm, a matrix may be from what its computed function gives back.
_CLOSE = 1e-9
_STEPS = 60


def square_root(x: torch.Tensor) -> torch.Tensor:
    """The principal square roots; not a number where a real matrix has none that is real."""
    return _function(x, torch.sqrt, lambda root: root @ root, _root_by_iteration)


def logarithm(x: torch.Tensor) -> torch.Tensor:
    """The principal logarithms of complex matrices."""
    return _function(x, torch.log, torch.linalg.matrix_exp, _logarithm_by_roots)


def _function(x: torch.Tensor, function: Function, back: Function, otherwise: Function) -> torch.Tensor:
    """`function` applied to the eigenvalues, or `otherwise` where there are too few eigenvectors to hold the matrix."""
    if not x.numel():
        return x.clone()
    wide = x.to(torch.complex128)
    eye = torch.eye(x.shape[-1], dtype=wide.dtype, device=x.device).expand_as(wide)
    finite = torch.isfinite(wide).all(-1).all(-1)[..., None, None]
    wide = torch.where(finite, wide, eye)
    values, vectors = torch.linalg.eig(wide)
    result, singular = torch.linalg.solve_ex(vectors.mH, (vectors * function(values).unsqueeze(-2)).mH)
    result = result.mH
    lost = (singular != 0) | (_norms(back(result) - wide) > _CLOSE * _norms(wide))
    if bool(lost.any()):
        result = torch.where(lost[..., None, None], otherwise(wide), result)
    result = torch.where(finite, result, torch.nan)
    if x.dtype.is_complex:
        return result.to(x.dtype)
    real = _norms(result.imag) <= 1e-6 * _norms(result)
    return torch.where(real[..., None, None], result.real, torch.nan).to(x.dtype)


def _norms(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.matrix_norm(x)


def _root_by_iteration(a: torch.Tensor) -> torch.Tensor:
    """Newton's method for the sign of [[0, A], [I, 0]]; not a number where it finds none.

    Denman and Beavers, "The matrix sign function and computations in systems", Applied Mathematics and Computation 2
    (1976).
    """
    y, z = a, torch.eye(a.shape[-1], dtype=a.dtype, device=a.device).expand_as(a)
    for _ in range(_STEPS):
        before = y
        y, z = (y + torch.linalg.inv_ex(z).inverse) / 2, (z + torch.linalg.inv_ex(y).inverse) / 2
        if bool((_norms(y - before) <= 1e-15 * _norms(y)).all()):
            break
    found = _norms(y @ y - a) <= _CLOSE * _norms(a)
    return torch.where(found[..., None, None], y, torch.nan)


def _logarithm_by_roots(a: torch.Tensor) -> torch.Tensor:
    """log A = 2^k log A^(1/2^k): roots are taken until they are near one, where log is a short series.

    The inverse scaling and squaring method: Higham, "Functions of matrices" (2008), chapter 11.
    """
    eye = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device).expand_as(a)
    scale = 1.0
    for _ in range(_STEPS):
        if not bool((_norms(a - eye) > 0.25).any()):
            break
        a, scale = _root_by_iteration(a), 2 * scale
    # log A = 2 artanh((A - I) (A + I)^-1)
    part = torch.linalg.solve_ex(a + eye, a - eye).result
    square, power, total = part @ part, part, part
    for n in range(3, 31, 2):
        power = power @ square
        total = total + power / n
    return 2 * scale * total
