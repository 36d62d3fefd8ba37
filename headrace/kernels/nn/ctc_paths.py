"""The sum over all paths of connectionist temporal classification, and its gradient.

Graves, Fernández, Gomez and Schmidhuber, "Connectionist temporal classification", ICML 2006, section 4.

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


def _without_merging(
    scores: torch.Tensor, targets: torch.Tensor, times: torch.Tensor, lengths: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `_by_torch`, where a label repeated in a path stands for two: only blanks may stay.

    Whether the last one was blank or the label itself makes no difference to what may follow a number of labels, so
    `reached[t, b, k]` sums over the paths of t times that give k labels. Sequences backwards are sequences too: the
    second half of the batch holds them, and gives what is yet to come.
    """
    total, batch, classes = scores.shape
    longest, device = targets.shape[1], scores.device
    # Times and labels from the end of each sequence; what lies outside of it is not looked at.
    reversed_times = (times - 1 - torch.arange(total, device=device)[:, None]).clamp_min(0)
    back = (lengths[:, None] - 1 - torch.arange(longest, device=device)).clamp_min(0)
    with_reversed = torch.cat([scores, scores.gather(0, reversed_times[:, :, None].expand(total, batch, classes))], 1)
    labels = torch.cat([targets, targets.gather(1, back)])
    of_label = with_reversed.gather(2, labels.expand(total, -1, -1))
    of_blank = with_reversed[:, :, -1:]
    reached = torch.full((total + 1, 2 * batch, longest + 1), -torch.inf, dtype=scores.dtype, device=device)
    reached[0, :, 0] = 0.0
    ended = torch.full((2 * batch, longest + 1), -torch.inf, dtype=scores.dtype, device=device)
    for now, after, label, blank in zip(
        reached[:-1].unbind(0), reached[1:].unbind(0), of_label.unbind(0), of_blank.unbind(0), strict=True
    ):
        torch.add(now[:, :-1], label, out=ended[:, 1:])
        torch.logaddexp(now + blank, ended, out=after)
    likelihood = reached[times, torch.arange(batch, device=device), lengths]
    before = reached[:total, :batch]
    missing = lengths[:, None] - torch.arange(longest + 1, device=device)
    later = reached[:total, batch:].gather(0, reversed_times[:, :, None].expand(total, batch, longest + 1))
    later = later.gather(2, missing.clamp_min(0).expand(total, -1, -1))
    later = later.masked_fill(missing < 0, -torch.inf) - likelihood[:, None]
    within = (torch.arange(total, device=device)[:, None] < times)[:, :, None]
    gradient = torch.exp(scores)
    gradient[:, :, -1] -= torch.exp(before + later + of_blank[:, :batch]).sum(2)
    through = torch.exp(before[:, :, :-1] + later[:, :, 1:] + of_label[:, :batch])
    gradient.scatter_add_(2, targets.expand(total, -1, -1), through.neg_())
    return -likelihood, torch.where(within, gradient, 0.0)


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
