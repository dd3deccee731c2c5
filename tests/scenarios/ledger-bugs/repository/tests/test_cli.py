import contextlib
import io
import os
import tempfile
import unittest

from ledger.cli import main


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "ledger.json")

    def run_command(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(err):
            code = main(["--file", self.file, *words], out)
        return code, out.getvalue() + err.getvalue()

    def test_a_day_with_the_ledger(self):
        self.run_command("init", "--name", "Giro", "--opening", "250.00")
        self.assertEqual(self.run_command("add", "2024-03-02", "-12.80", "Bakery"), (0, "-12.80 in groceries\n"))
        self.assertEqual(self.run_command("balance"), (0, "Giro: 237.20\n"))

    def test_import_twice(self):
        self.run_command("init")
        statement = os.path.join(self.folder, "march.csv")
        with open(statement, "w", encoding="utf-8") as file:
            file.write("Date;Text;Amount\n2024-03-02;Market;-5,00\n2024-03-03;Market;-6,00\n")
        self.assertEqual(self.run_command("import", statement), (0, "2 added, 0 known already\n"))
        self.assertEqual(self.run_command("import", statement), (0, "0 added, 2 known already\n"))

    def test_errors_are_one_line(self):
        self.assertEqual(self.run_command("balance")[0], 1)
        self.run_command("init")
        code, said = self.run_command("report", "March")
        self.assertEqual((code, said), (1, "ledger: 'March' is not a month like 2024-03.\n"))
