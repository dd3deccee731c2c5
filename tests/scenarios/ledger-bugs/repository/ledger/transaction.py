"""One movement of money."""

import datetime
from dataclasses import dataclass

UNSORTED = "unsorted"
INCOME = "income"


@dataclass(frozen=True)
class Transaction:
    """`cents` is negative for spending and positive for income and refunds."""

    date: datetime.date
    cents: int
    text: str
    category: str = UNSORTED

    @property
    def is_income(self):
        """Wages and the like; a refund in a spending category is none."""
        return self.category == INCOME

    def same_as(self, other):
        """True if both are the same line of a statement, however it was sorted into a category."""
        return (self.date, self.cents, self.text) == (other.date, other.cents, other.text)

    def to_json(self):
        return {
            "date": self.date.isoformat(),
            "cents": self.cents,
            "text": self.text,
            "category": self.category,
        }

    @classmethod
    def from_json(cls, data):
        date = datetime.date.fromisoformat(data["date"])
        return cls(date, data["cents"], data["text"], data.get("category", UNSORTED))
