"""Amounts of money as whole cents."""


def parse(text):
    """'12.50' as 1250 cents. Raises ValueError for anything else."""
    whole, _, cents = text.strip().partition(".")
    if not whole.isdigit() or (cents and not (cents.isdigit() and len(cents) == 2)):
        raise ValueError(f"not an amount: {text!r}")
    return int(whole) * 100 + int(cents or 0)


def show(cents):
    """1250 as '12.50'."""
    return f"{cents // 100}.{cents % 100:02d}"
