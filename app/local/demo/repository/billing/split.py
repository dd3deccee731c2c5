"""Splitting a bill."""

from billing import money


def split(total, people):
    """The share of each of `people` persons in `total` cents, as a list."""
    if people < 1:
        raise ValueError("a bill needs at least one person")
    return [total // people] * people


def invoice(total, names):
    """One line a person: 'Ann owes 3.34'."""
    shares = split(total, len(names))
    return [f"{name} owes {money.show(share)}" for name, share in zip(names, shares)]
