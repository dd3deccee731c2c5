import datetime
import unittest

from ledger.csv_import import read_statement
from ledger.errors import BadStatement


class ReadStatementTest(unittest.TestCase):
    def test_semicolons_and_german_names(self):
        (only,) = read_statement("Buchungstag;Betrag;Verwendungszweck\n02.03.2024;-42,50;Market  hall\n")
        self.assertEqual((only.date, only.cents), (datetime.date(2024, 3, 2), -4250))
        self.assertEqual((only.text, only.category), ("Market hall", "groceries"))

    def test_commas_and_quotes(self):
        (only,) = read_statement('Date,Text,Amount\n2024-03-27,"Salary, March","2,100.00"\n')
        self.assertEqual((only.cents, only.text, only.category), (210000, "Salary, March", "income"))

    def test_a_mark_at_the_start_and_empty_lines(self):
        self.assertEqual(len(read_statement("\ufeffDate;Text;Amount\n\n2024-03-02;x;1\n;;\n")), 1)

    def test_what_is_wrong_is_named(self):
        for text, says in (
            ("", "empty"),
            ("Date;Text\n", "no column for the amount"),
            ("Date;Text;Amount\n2024-03-02;x\n", "Line 2"),
            ("Date;Text;Amount\nyesterday;x;1\n", "'yesterday' is not a date"),
        ):
            with self.subTest(says), self.assertRaisesRegex(BadStatement, says):
                read_statement(text)
