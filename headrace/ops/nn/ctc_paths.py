"""The sum over all paths of connectionist temporal classification (Graves 2006), and its gradient.

A path gives each time a class or blank. Paths are sums over states: blank, first label, blank, second label, …, blank.
"""

from __future__ import annotations

import torch


def _by_torch(
    scores: torch.Tensor, targets: torch.Tensor, times: torch.Tensor, lengths: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    blank = scores.shape[2] - 1
    loss, alpha = torch.ops.aten._ctc_loss(scores, targets, times, lengths, blank, False)
    ones = torch.ones_like(loss)
    gradient = torch.ops.aten._ctc_loss_backward(ones, scores, targets, times, lengths, loss, alpha, blank, False)
    return loss, gradient


def _shifted(states: torch.Tensor, places: int) -> torch.Tensor:
    """States moved on by so many places, back if negative; nothing comes from outside."""
    moved = torch.full_like(states, -torch.inf)
    if places > 0:
        moved[:, places:] = states[:, :-places]
    else:
        moved[:, :places] = states[:, -places:]
    return moved


def _without_merging(
    scores: torch.Tensor, targets: torch.Tensor, times: torch.Tensor, lengths: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `_by_torch`, where a label repeated in a path stands for two: only blanks may stay."""
    total, batch, classes = scores.shape
    blank = classes - 1
    longest = targets.shape[1]
    states = torch.full((batch, 2 * longest + 1), blank, device=scores.device)
    states[:, 1::2] = targets
    is_label = torch.zeros(states.shape[1], dtype=torch.bool, device=scores.device)
    is_label[1::2] = True
    # Labels stay out of reach of those beyond a sequence's own end.
    final = torch.full_like(states, -torch.inf, dtype=scores.dtype)
    ends = 2 * lengths
    final.scatter_(1, ends[:, None], 0.0)
    final.scatter_(1, (ends - 1).clamp_min(0)[:, None], 0.0)
    emitted = scores.gather(2, states.expand(total, -1, -1))
    stays = torch.where(is_label, -torch.inf, 0.0).to(scores.dtype)
    skips = torch.where(is_label, 0.0, -torch.inf).to(scores.dtype)

    def step(values: torch.Tensor, direction: int) -> torch.Tensor:
        # Backwards, what may be skipped to is what decides, and that lies two places on.
        two = _shifted(values if direction > 0 else values + skips, 2 * direction)
        two = two + skips if direction > 0 else two
        return torch.logsumexp(torch.stack([values + stays, _shifted(values, direction), two]), 0)

    alpha = torch.full((total, batch, states.shape[1]), -torch.inf, dtype=scores.dtype, device=scores.device)
    start = torch.full_like(final, -torch.inf)
    start[:, :2] = 0.0
    beta = alpha.clone()
    for t in range(total):
        alpha[t] = emitted[t] + (start if t == 0 else step(alpha[t - 1], 1))
    last = times - 1
    for t in range(total - 1, -1, -1):
        after = step(beta[t + 1] + emitted[t + 1], -1) if t + 1 < total else torch.full_like(final, -torch.inf)
        beta[t] = torch.where((last == t)[:, None], final, after)
    likelihood = torch.logsumexp(alpha[last, torch.arange(batch)] + final, 1)
    occupied = torch.zeros_like(scores)
    within = torch.arange(total, device=scores.device)[:, None] < times
    posterior = torch.exp(alpha + beta - likelihood[None, :, None])
    posterior = torch.where(within[:, :, None], posterior, 0.0)
    occupied.scatter_add_(2, states.expand(total, -1, -1), posterior)
    gradient = torch.where(within[:, :, None], torch.exp(scores) - occupied, 0.0)
    return -likelihood, gradient


def losses(
    scores: torch.Tensor, labels: list[list[int]], times: list[int], merge_repeated: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The negative log likelihood of each sequence, and its gradient with respect to the logits.

    Args:
        scores: log probabilities of shape (time, batch, classes); the last class is blank.
        labels: the labels of each sequence.
        times: how many times of each sequence count, at least 1.
        merge_repeated: whether a label repeated in a path stands for one.

    Returns:
        tensors of shape (batch,) and (time, batch, classes); where no path fits, the loss is infinite and the gradient
        that of the probabilities alone.
    """
    device = scores.device
    lengths = torch.tensor([len(row) for row in labels], device=device)
    targets = torch.zeros((len(labels), max(map(len, labels), default=0)), dtype=torch.int64)
    for row, sequence in enumerate(labels):
        targets[row, : len(sequence)] = torch.tensor(sequence, dtype=torch.int64)
    targets = targets.to(device)
    ends = torch.tensor(times, device=device)
    computed = _by_torch if merge_repeated else _without_merging
    loss, gradient = computed(scores, targets, ends, lengths)
    impossible = torch.isinf(loss)
    if bool(impossible.any()):
        within = torch.arange(scores.shape[0], device=device)[:, None] < ends
        alone = torch.where(within[:, :, None], torch.exp(scores), 0.0)
        gradient = torch.where(impossible[None, :, None], alone, gradient)
    return loss, gradient
