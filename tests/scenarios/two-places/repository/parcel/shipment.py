"""Parcels that are on their way."""

import datetime
from dataclasses import dataclass


@dataclass(frozen=True)
class Shipment:
    """One parcel to one receiver; `value` is what it is insured for, in cents."""

    number: str
    receiver: str
    zone: str
    weight_g: int
    size_cm: tuple
    value: int = 0
    day: datetime.date = datetime.date(2024, 1, 1)


def of_day(shipments, day):
    """The shipments of a day, by number."""
    return sorted((s for s in shipments if s.day == day), key=lambda s: s.number)
