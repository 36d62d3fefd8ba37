"""Numerical methods for the incomplete gamma and beta functions that torch does not have; computed in float64."""

from __future__ import annotations

import math

import torch

# Both expansions gain several bits a term; this many are never needed for finite results of sensible size.
_MOST_TERMS = 10_000


def igamma_derivative(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """dP(a, x)/da of the lower regularized incomplete gamma function.

    P(a, x) is the sum of t_k = x^(a+k) exp(-x) / gamma(a+k+1) over k = 0, 1, ... (DLMF 8.7.1), so its derivative is the
    sum of t_k (log x - digamma(a+k+1)). All t_k are positive and the series converges for every x.
    """
    dtype = x.dtype
    a, x = torch.broadcast_tensors(a.double(), x.double())
    undefined = (a <= 0) | (x < 0) | a.isnan() | x.isnan()
    safe_a = torch.where(undefined, 1.0, a)
    safe_x = torch.where(undefined | (x == 0), 1.0, x)
    log_x = torch.log(safe_x)
    term = torch.exp(safe_a * log_x - safe_x - torch.lgamma(safe_a + 1))
    psi = torch.digamma(safe_a + 1)
    total = term * (log_x - psi)
    for k in range(1, _MOST_TERMS):
        order = safe_a + k
        term = term * safe_x / order
        psi = psi + 1 / order
        part = term * (log_x - psi)
        total = total + part
        # The terms grow until k passes x - a and shrink from there on.
        if bool(((part.abs() <= 1e-18 * total.abs() + 1e-300) & (order > safe_x)).all()):
            break
    total = torch.where(x == 0, 0.0, total)
    return torch.where(undefined, math.nan, total).to(dtype)


def betainc_values(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The regularized incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).

    The fraction converges fast for x < (a + 1) / (a + b + 2); beyond, I_x(a, b) = 1 - I_(1-x)(b, a) is used. It is
    evaluated with the modified Lentz method.
    """
    dtype = x.dtype
    a, b, x = torch.broadcast_tensors(a.double(), b.double(), x.double())
    undefined = (a <= 0) | (b <= 0) | (x < 0) | (x > 1) | a.isnan() | b.isnan() | x.isnan()
    a, b = torch.where(undefined, 1.0, a), torch.where(undefined, 1.0, b)
    inside = torch.where(undefined | (x <= 0) | (x >= 1), 0.5, x)
    mirrored = inside > (a + 1) / (a + b + 2)
    p, q = torch.where(mirrored, b, a), torch.where(mirrored, a, b)
    z = torch.where(mirrored, 1 - inside, inside)
    log_front = p * torch.log(z) + q * torch.log1p(-z) - (torch.lgamma(p) + torch.lgamma(q) - torch.lgamma(p + q))
    value = torch.exp(log_front) / p * _lentz(p, q, z)
    value = torch.where(mirrored, 1 - value, value)
    value = torch.where(x <= 0, 0.0, torch.where(x >= 1, 1.0, value))
    return torch.where(undefined, math.nan, value).to(dtype)


def _lentz(p: torch.Tensor, q: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    tiny = 1e-300
    c = torch.ones_like(p)
    d = 1 - (p + q) * z / (p + 1)
    d = 1 / torch.where(d.abs() < tiny, tiny, d)
    result = d
    for m in range(1, _MOST_TERMS):
        even = m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m))
        odd = -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1))
        for coefficient in (even, odd):
            d = 1 + coefficient * d
            d = 1 / torch.where(d.abs() < tiny, tiny, d)
            c = 1 + coefficient / c
            c = torch.where(c.abs() < tiny, tiny, c)
            step = c * d
            result = result * step
        if bool(((step - 1).abs() < 1e-15).all()):
            break
    return result
