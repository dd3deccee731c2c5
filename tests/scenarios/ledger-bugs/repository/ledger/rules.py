"""Chooses a category by words in a transaction's text."""

from ledger.transaction import INCOME, UNSORTED

# The first rule with a word in the text wins.
RULES = (
    (INCOME, ("salary", "wages", "pension", "child benefit")),
    ("rent", ("rent", "landlord")),
    ("groceries", ("market", "bakery", "grocer", "butcher", "greens")),
    ("transport", ("railway", "fuel", "parking", "bus ticket")),
    ("health", ("pharmacy", "dentist", "doctor")),
    ("fun", ("cinema", "books", "restaurant", "concert")),
)


def category_for(text, rules=RULES):
    """The category of a text, `unsorted` if no rule fits."""
    low = text.casefold()
    for category, words in rules:
        if any(word in low for word in words):
            return category
    return UNSORTED
