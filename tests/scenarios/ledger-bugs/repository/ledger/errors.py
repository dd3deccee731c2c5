"""What can go wrong, in words for the user."""


class LedgerError(Exception):
    """Base of all errors that are shown without a traceback."""


class BadAmount(LedgerError):
    """A text is no amount of money."""


class BadDate(LedgerError):
    """A text is no date or month."""


class BadStatement(LedgerError):
    """A CSV file is no bank statement."""


class BadFile(LedgerError):
    """The ledger's own file can't be read."""
