"""Numerical methods for the incomplete gamma and beta functions that torch does not have; computed in float64."""

from __future__ import annotations

import math

import torch

# Both expansions gain several bits a term; this many are never needed for finite results of sensible size.
_MAX_TERMS = 10_000


def igamma_derivative(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """dP(a, x)/da of the lower regularized incomplete gamma function.

    It is how P moves with a where x stays: the density at x times how far a quantile moves the other way.
    """
    dtype = x.dtype
    a, x = torch.broadcast_tensors(a.double(), x.double())
    density = torch.exp((a - 1) * torch.log(x) - x - torch.lgamma(a))
    slope = -density * gamma_sample_derivative(a, x)
    # P(a, 0) = 0 and P(a, inf) = 1, whatever a is; TensorFlow does not look at it where x is 0.
    constant = (x == 0) | ((x == math.inf) & (a > 0) & a.isfinite())
    return torch.where(constant, 0.0, slope).to(dtype)


def gamma_sample_derivative(alpha: torch.Tensor, sample: torch.Tensor) -> torch.Tensor:
    """How a gamma sample x moves with its alpha while its quantile stays: -dP(alpha, x)/dalpha / p(x).

    Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", arXiv:1805.08498.
    """
    a, x = torch.broadcast_tensors(alpha.double(), sample.double())
    undefined = ~((a > 0) & (x >= 0) & a.isfinite() & x.isfinite())
    a = torch.where(undefined, 1.0, a)
    x = torch.where(undefined, 1.0, x)
    stddev = a.sqrt()
    result = torch.empty_like(a)
    normal = (a > 1e6) & ((x - a).abs() < 8 * stddev)
    tail = ~normal & (x > a + 8 * stddev + 10)
    for where, method in (
        (normal, _normal_sample_derivative),
        (tail, _tail_sample_derivative),
        (~normal & ~tail, _series_sample_derivative),
    ):
        if bool(where.any()):
            result[where] = method(a[where], x[where])
    return torch.where(undefined, math.nan, result).to(alpha.dtype)


def _series_sample_derivative(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """By the power series of P (DLMF 8.7.1).

    The quotient is x sum_n t_n (digamma(a + n + 1) - log x), where t_n = x**n / (a (a + 1) .. (a + n)).
    """
    settled, left = torch.empty_like(x), torch.arange(x.numel())
    log_x, at = x.clamp_min(5e-324).log(), x
    term, digamma = 1 / a, torch.digamma(a + 1)
    total = torch.zeros_like(a)
    for n in range(10 * _MAX_TERMS):
        part = term * (digamma - log_x)
        total += part
        # The terms grow until n passes x - a; asking costs as much as several of them. What has converged is left out
        # of what follows: few elements need many terms.
        if n % 16 == 15:
            moving = (part.abs() > 1e-18 * total.abs()) | (a + n <= at)
            settled[left] = total
            a, at, log_x, term, digamma, total, left = (
                value[moving] for value in (a, at, log_x, term, digamma, total, left)
            )
            if not left.numel():
                break
        digamma = digamma + 1 / (a + n + 1)
        term = term * (at / (a + n + 1))
    settled[left] = total
    return x * settled


def _tail_sample_derivative(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """By the continued fraction of 1 - P (DLMF 8.9.2), for x well above a.

    1 - P = p(x) r(a, x) with r = x / f_0 and f_k = x + 2k + 1 - a - (k + 1)(k + 1 - a) / f_(k+1), so the quotient is
    dr/da + r (log x - digamma(a)). Each f is taken with its derivative by a.
    """
    last = 200
    f, df = x + (2 * last + 1) - a, torch.full_like(a, -1.0)
    for k in range(last, 0, -1):
        ratio = k / f
        f, df = x + (2 * k - 1) - a - (k - a) * ratio, -1 + ratio + (k - a) * ratio * (df / f)
    r = x / f
    return r * (x.log() - torch.digamma(a) - df / f)


def _normal_sample_derivative(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """By the first terms of Cornish and Fisher's expansion of x in 1 / sqrt(a), for large a and x near it.

    Abramowitz and Stegun, 26.2.49, with the skewness 2 / sqrt(a) and the excess 6 / a of the gamma distribution.
    """
    z = (x - a) / a.sqrt()
    z = z - (z * z - 1) / (3 * a.sqrt())
    return 1 + z / (2 * a.sqrt()) - (z**3 - 7 * z) / (72 * a * a.sqrt())


def betainc_values(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The regularized incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).

    The fraction converges fast for x < (a + 1) / (a + b + 2); beyond, I_x(a, b) = 1 - I_(1-x)(b, a) is used. It is
    evaluated with the modified Lentz method: Thompson and Barnett, "Coulomb and Bessel functions of complex arguments
    and order", Journal of Computational Physics 64 (1986).
    """
    dtype = x.dtype
    a, b, x = torch.broadcast_tensors(a.double(), b.double(), x.double())
    # At the ends 0 and 1 the value is that of any a and b, though they be NaN.
    unknown = (a.isnan() | b.isnan()) & (x != 0) & (x != 1)
    undefined = (a <= 0) | (b <= 0) | (x < 0) | (x > 1) | unknown | x.isnan()
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
    # What has converged is left out of what follows: few elements need many terms.
    shape, settled, left = p.shape, torch.empty_like(p).reshape(-1), torch.arange(p.numel())
    p, q, z, c, d, result = (value.reshape(-1) for value in (p, q, z, c, d, result))
    for m in range(1, _MAX_TERMS):
        even = m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m))
        odd = -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1))
        for coefficient in (even, odd):
            d = 1 + coefficient * d
            d = 1 / torch.where(d.abs() < tiny, tiny, d)
            c = 1 + coefficient / c
            c = torch.where(c.abs() < tiny, tiny, c)
            step = c * d
            result = result * step
        if m % 8 == 0:
            moving = (step - 1).abs() >= 1e-15
            settled[left] = result
            p, q, z, c, d, result, left = (value[moving] for value in (p, q, z, c, d, result, left))
            if not left.numel():
                break
    settled[left] = result
    return settled.reshape(shape)
