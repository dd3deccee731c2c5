"""Amounts of money. Inside the program they are whole cents, negative for spending."""

import re

from ledger.errors import BadAmount

_AMOUNT = re.compile(r"([+-]?)(\d+)(?:\.(\d{1,2}))?")


def parse_amount(text):
    """The cents of '12', '12.8', '-12,80' or '1,234.50'; a currency sign around it is ignored."""
    plain = text.strip().strip("€$").replace("EUR", "").strip()
    plain = plain.replace("−", "-").replace(" ", "").replace("\u00a0", "")
    if "," in plain and "." in plain:
        plain = plain.replace(",", "")
    elif "," in plain:
        plain = plain.replace(",", ".")
    found = _AMOUNT.fullmatch(plain)
    if found is None:
        raise BadAmount(f"'{text}' is not an amount of money.")
    sign, whole, fraction = found.groups()
    cents = int(whole) * 100 + int((fraction or "0").ljust(2, "0"))
    return -cents if sign == "-" else cents


def format_amount(cents):
    """'-12.80' for -1280."""
    sign = "-" if cents < 0 else ""
    whole, fraction = divmod(abs(cents), 100)
    return f"{sign}{whole}.{fraction:02d}"


def share(part, whole):
    """How much of `whole` `part` is, in whole percent; 0 of nothing."""
    if whole == 0:
        return 0
    return round(100 * part / whole)
