"""What a parcel costs."""

from parcel.tariff import BULKY_CM3_PER_KG, HEAVIEST_G, LONGEST_CM, TariffError, insurance, zone_prices


def quote(weight_g, size_cm, zone, value=0):
    """The price of one parcel in cents. Raises TariffError for what the carrier does not take."""
    check(weight_g, size_cm)
    base, per_kilogram = zone_prices(zone)
    return base + per_kilogram * billable_kilograms(weight_g, size_cm) + insurance(value)


def check(weight_g, size_cm):
    """Raises TariffError if the parcel is too heavy, too long, or nothing at all."""
    if weight_g <= 0:
        raise TariffError("A parcel weighs something.")
    if weight_g > HEAVIEST_G:
        raise TariffError(f"A parcel may weigh {HEAVIEST_G / 1000} kg at most.")
    if max(size_cm) > LONGEST_CM:
        raise TariffError(f"A parcel may be {LONGEST_CM} cm long at most.")


def billable_kilograms(weight_g, size_cm):
    """Started kilograms of the weight, or of the volume where that is more."""
    real = weight_g // 1000 + 1
    length, width, height = size_cm
    bulky = -(-length * width * height // BULKY_CM3_PER_KG)
    return max(real, bulky)
