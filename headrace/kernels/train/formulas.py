"""The update rules: each changes the tensors of a variable and its slots in place.

A formula takes the tensors in the order of the op's signature, the gradient among them, and the hyperparameters as
Python numbers. The variable is written last and whole, since the gradient may be a view of it.
"""

from __future__ import annotations

import math

import torch


def gradient_descent(var: torch.Tensor, alpha: float, delta: torch.Tensor) -> None:
    """var -= alpha delta"""
    var.add_(delta, alpha=-alpha)


def _shrunk(step: torch.Tensor, rate: float | torch.Tensor, l1: float) -> torch.Tensor:
    """The proximal step of an l1 penalty: toward zero by rate * l1, and not past it."""
    if l1 <= 0:
        return step
    return step.sign() * (step.abs() - rate * l1).clamp_min_(0)


def proximal_gradient_descent(var: torch.Tensor, alpha: float, l1: float, l2: float, delta: torch.Tensor) -> None:
    """Forward-backward splitting (Duchi and Singer, JMLR 10, 2009)."""
    step = torch.add(var, delta, alpha=-alpha)
    var.copy_(_shrunk(step, alpha, l1).div_(1.0 + l2 * alpha))


def adadelta(
    var: torch.Tensor,
    accum: torch.Tensor,
    accum_update: torch.Tensor,
    lr: float,
    rho: float,
    epsilon: float,
    grad: torch.Tensor,
) -> None:
    """Zeiler, "ADADELTA: an adaptive learning rate method", arXiv:1212.5701, with a learning rate."""
    accum.mul_(rho).addcmul_(grad, grad, value=1.0 - rho)
    update = (accum_update + epsilon).div_(accum + epsilon).sqrt_().mul_(grad)
    accum_update.mul_(rho).addcmul_(update, update, value=1.0 - rho)
    var.add_(update, alpha=-lr)


def adagrad(var: torch.Tensor, accum: torch.Tensor, lr: float, grad: torch.Tensor, update_slots: bool) -> None:
    """Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12, 2011, figure 1."""
    if update_slots:
        accum.addcmul_(grad, grad)
    var.addcmul_(grad, accum.rsqrt(), value=-lr)


def adagrad_v2(
    var: torch.Tensor, accum: torch.Tensor, lr: float, epsilon: float, grad: torch.Tensor, update_slots: bool
) -> None:
    """Adagrad with epsilon added to the root."""
    if update_slots:
        accum.addcmul_(grad, grad)
    var.addcdiv_(grad, accum.sqrt().add_(epsilon), value=-lr)


def adagrad_da(
    var: torch.Tensor,
    total: torch.Tensor,
    squares: torch.Tensor,
    grad: torch.Tensor,
    lr: float,
    l1: float,
    l2: float,
    global_step: int,
) -> None:
    """Dual averaging: the variable follows from the sums of the gradients alone (Duchi et al., JMLR 12, 2011)."""
    total.add_(grad)
    squares.addcmul_(grad, grad)
    scale = squares.sqrt().add_(l2 * global_step * lr)
    var.copy_(_shrunk(total, float(global_step), l1)).div_(scale).mul_(-lr)


def proximal_adagrad(
    var: torch.Tensor, accum: torch.Tensor, lr: float, l1: float, l2: float, grad: torch.Tensor
) -> None:
    """Adagrad with the proximal step of the penalties (Duchi and Singer, JMLR 10, 2009)."""
    accum.addcmul_(grad, grad)
    rate = accum.rsqrt().mul_(lr)
    step = torch.addcmul(var, grad, rate, value=-1)
    var.copy_(_shrunk(step, rate, l1).div_(rate.mul_(l2).add_(1.0)))


def ftrl(
    var: torch.Tensor,
    accum: torch.Tensor,
    linear: torch.Tensor,
    grad: torch.Tensor,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
) -> None:
    """Follow the regularized leader, as in McMahan et al., "Ad click prediction", KDD 2013, algorithm 1."""
    _follow(var, accum, linear, grad, grad, lr, l1, l2, lr_power)


def ftrl_v2(
    var: torch.Tensor,
    accum: torch.Tensor,
    linear: torch.Tensor,
    grad: torch.Tensor,
    lr: float,
    l1: float,
    l2: float,
    l2_shrinkage: float,
    lr_power: float,
) -> None:
    """FTRL whose gradient also shrinks the weights, which does not reach the accumulator."""
    shrinking = torch.add(grad, var, alpha=2.0 * l2_shrinkage)
    _follow(var, accum, linear, grad, shrinking, lr, l1, l2, lr_power)


def _follow(
    var: torch.Tensor,
    accum: torch.Tensor,
    linear: torch.Tensor,
    grad: torch.Tensor,
    direction: torch.Tensor,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
) -> None:
    before = _root(accum, lr_power)
    accum.addcmul_(grad, grad)
    after = _root(accum, lr_power)
    linear.add_(direction).addcmul_(torch.sub(after, before), var, value=-1.0 / lr)
    curvature = after.div_(lr).add_(2.0 * l2)
    pull = linear.sign().mul_(l1).sub_(linear).div_(curvature)
    var.copy_(pull.masked_fill_(linear.abs() <= l1, 0.0))


def _root(accum: torch.Tensor, lr_power: float) -> torch.Tensor:
    return accum.sqrt() if lr_power == -0.5 else accum.pow(-lr_power)


def momentum(
    var: torch.Tensor, accum: torch.Tensor, lr: float, grad: torch.Tensor, momentum: float, use_nesterov: bool
) -> None:
    """Sutskever et al., ICML 2013, section 2, with the gradient taken where the variable is."""
    accum.mul_(momentum).add_(grad)
    if use_nesterov:
        var.add_(torch.add(grad, accum, alpha=momentum), alpha=-lr)
    else:
        var.add_(accum, alpha=-lr)


def keras_momentum(
    var: torch.Tensor, accum: torch.Tensor, lr: float, grad: torch.Tensor, momentum: float, use_nesterov: bool
) -> None:
    """Momentum whose accumulator holds steps, with the learning rate of the time."""
    accum.mul_(momentum).add_(grad, alpha=-lr)
    if use_nesterov:
        var.add_(torch.add(accum * momentum, grad, alpha=-lr))
    else:
        var.add_(accum)


def adam(
    var: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    beta1_power: float,
    beta2_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: torch.Tensor,
    use_nesterov: bool,
) -> None:
    """Kingma and Ba, arXiv:1412.6980, in the form before section 2.1, whose epsilon is "epsilon hat".

    With `use_nesterov` the step looks ahead as that of Dozat, "Incorporating Nesterov momentum into Adam", 2016.
    """
    rate = _adam_rate(lr, beta1_power, beta2_power)
    m.lerp_(grad, 1.0 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1.0 - beta2)
    direction = torch.lerp(grad, m, beta1) if use_nesterov else m
    var.addcdiv_(direction, v.sqrt().add_(epsilon), value=-rate)


def adam_with_amsgrad(
    var: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    vhat: torch.Tensor,
    beta1_power: float,
    beta2_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: torch.Tensor,
) -> None:
    """Adam that never forgets the largest second moment (Reddi, Kale and Kumar, arXiv:1904.09237)."""
    m.lerp_(grad, 1.0 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1.0 - beta2)
    torch.maximum(vhat, v, out=vhat)
    var.addcdiv_(m, vhat.sqrt().add_(epsilon), value=-_adam_rate(lr, beta1_power, beta2_power))


def _adam_rate(lr: float, beta1_power: float, beta2_power: float) -> float:
    left = 1.0 - beta1_power
    # As floats divide: a beta of 1 gives infinity or NaN, no exception.
    root = math.sqrt(1.0 - beta2_power) if beta2_power <= 1.0 else math.nan
    return lr * root / left if left else math.nan if root == 0.0 else math.copysign(math.inf, lr)


def ada_max(
    var: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    beta1_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: torch.Tensor,
) -> None:
    """Kingma and Ba, arXiv:1412.6980, algorithm 2."""
    m.lerp_(grad, 1.0 - beta1)
    torch.maximum(v.mul_(beta2), grad.abs(), out=v)
    left = 1.0 - beta1_power
    var.addcdiv_(m, v + epsilon, value=-lr / left if left else -math.inf)


def rms_prop(
    var: torch.Tensor,
    ms: torch.Tensor,
    mom: torch.Tensor,
    lr: float,
    rho: float,
    momentum: float,
    epsilon: float,
    grad: torch.Tensor,
) -> None:
    """Tieleman and Hinton, "Lecture 6.5: RMSProp", COURSERA 2012, with momentum."""
    ms.mul_(rho).addcmul_(grad, grad, value=1.0 - rho)
    mom.mul_(momentum).addcdiv_(grad, (ms + epsilon).sqrt_(), value=lr)
    var.sub_(mom)


def centered_rms_prop(
    var: torch.Tensor,
    mg: torch.Tensor,
    ms: torch.Tensor,
    mom: torch.Tensor,
    lr: float,
    rho: float,
    momentum: float,
    epsilon: float,
    grad: torch.Tensor,
) -> None:
    """RMSProp by the variance instead of the second moment (Graves, arXiv:1308.0850)."""
    ms.mul_(rho).addcmul_(grad, grad, value=1.0 - rho)
    mg.lerp_(grad, 1.0 - rho)
    variance = torch.addcmul(ms, mg, mg, value=-1).add_(epsilon)
    mom.mul_(momentum).addcdiv_(grad, variance.sqrt_(), value=lr)
    var.sub_(mom)


def add_sign(
    var: torch.Tensor, m: torch.Tensor, lr: float, alpha: float, sign_decay: float, beta: float, grad: torch.Tensor
) -> None:
    """Larger steps where gradient and average agree in sign (Bello et al., arXiv:1709.07417)."""
    m.mul_(beta).add_(grad, alpha=1.0 - beta)
    scale = torch.mul(grad.sign(), m.sign()).mul_(sign_decay).add_(alpha)
    var.addcmul_(scale, grad, value=-lr)


def power_sign(
    var: torch.Tensor, m: torch.Tensor, lr: float, logbase: float, sign_decay: float, beta: float, grad: torch.Tensor
) -> None:
    """As `add_sign`, with the agreement in the exponent."""
    m.mul_(beta).add_(grad, alpha=1.0 - beta)
    scale = torch.mul(grad.sign(), m.sign()).mul_(sign_decay * logbase).exp_()
    var.addcmul_(scale, grad, value=-lr)
