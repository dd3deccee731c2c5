"""The account that the ledger is about."""

from dataclasses import dataclass


@dataclass
class Account:
    """A bank account; `opening` is what was on it before the first transaction, in cents."""

    name: str = "main"
    opening: int = 0

    def to_json(self):
        return {"name": self.name, "opening": self.opening}

    @classmethod
    def from_json(cls, data):
        return cls(data["name"], data["opening"])
