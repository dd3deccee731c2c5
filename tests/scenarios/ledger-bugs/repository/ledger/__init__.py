"""A household ledger in one JSON file."""

__version__ = "1.3.0"
