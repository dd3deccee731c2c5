"""The carrier's price list, in cents."""

# zone: (base price, price of each kilogram)
ZONES = {
    "home": (390, 60),
    "eu": (790, 160),
    "world": (1490, 480),
}
HEAVIEST_G = 31_500
LONGEST_CM = 120
BULKY_CM3_PER_KG = 5000
INSURANCE = ((50_000, 150), (250_000, 450))  # value up to, price


class TariffError(ValueError):
    """The carrier does not take such a parcel."""


def zone_prices(zone):
    """(base, per kilogram) of a zone."""
    try:
        return ZONES[zone]
    except KeyError:
        raise TariffError(f"There is no zone '{zone}': use {', '.join(ZONES)}.") from None


def insurance(value):
    """The price of insuring a value, both in cents."""
    if value <= 0:
        return 0
    for limit, price in INSURANCE:
        if value <= limit:
            return price
    raise TariffError("Values above 2500.00 can't be insured.")
