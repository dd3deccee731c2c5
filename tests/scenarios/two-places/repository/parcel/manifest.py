"""The list that the driver gets: what is on the lorry, and what the carrier will charge for it."""

from parcel.shipment import of_day
from parcel.tariff import BULKY_CM3_PER_KG, insurance, zone_prices

WIDTH = 46


def manifest(shipments, day):
    """The manifest of a day as text."""
    rows = of_day(shipments, day)
    lines = [f"Manifest {day.isoformat()}", "-" * WIDTH]
    for shipment in rows:
        lines.append(_line(shipment))
    lines.append("-" * WIDTH)
    lines.append(f"{len(rows)} parcels".ljust(WIDTH - 12) + _money(total(rows)).rjust(12))
    return "\n".join(lines)


def charge(shipment):
    """What the carrier charges for a shipment, in cents."""
    base, per_kilogram = zone_prices(shipment.zone)
    length, width, height = shipment.size_cm
    volume_kg = -(-length * width * height // BULKY_CM3_PER_KG)
    kilograms = max(1 + shipment.weight_g // 1000, volume_kg)
    return base + kilograms * per_kilogram + insurance(shipment.value)


def total(shipments):
    """What all of them cost, in cents."""
    return sum(charge(shipment) for shipment in shipments)


def _line(shipment):
    who = f"{shipment.number}  {shipment.receiver}"[: WIDTH - 20].ljust(WIDTH - 20)
    return f"{who}{shipment.weight_g / 1000:>8.2f}{_money(charge(shipment)):>12}"


def _money(cents):
    return f"{cents // 100}.{cents % 100:02d}"
