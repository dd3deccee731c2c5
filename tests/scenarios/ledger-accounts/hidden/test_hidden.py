import contextlib
import io
import json
import os
import shutil
import tempfile
import unittest

from ledger.cli import main

OLD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old.json")


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "ledger.json")

    def run_command(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(err):
            try:
                code = main(["--file", self.file, *words], out)
            except SystemExit as end:
                code = end.code
        return code, out.getvalue() + err.getvalue()

    def good(self, *words):
        code, said = self.run_command(*words)
        self.assertEqual(code, 0, said)
        return said

    def refused(self, *words):
        code, said = self.run_command(*words)
        self.assertEqual(code, 1, said)
        self.assertEqual(len(said.strip().splitlines()), 1, said)

    def data(self):
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)


class AccountsTest(Case):
    def setUp(self):
        super().setUp()
        self.good("init", "--name", "Giro", "--opening", "250.00")
        self.good("account", "Cash", "--opening", "20")
        self.good("account", "Savings")

    def test_balances(self):
        self.good("add", "2024-03-02", "-12.80", "Bakery")
        self.good("add", "2024-03-02", "-2.50", "Bakery", "--account", "Cash")
        self.assertEqual(
            self.good("balance").splitlines(), ["Giro: 237.20", "Cash: 17.50", "Savings: 0.00", "total: 254.70"]
        )
        self.assertEqual(self.good("balance", "--account", "Cash"), "Cash: 17.50\n")

    def test_what_is_refused(self):
        self.refused("account", "Cash")
        self.refused("account", "Giro")
        self.refused("add", "2024-03-02", "-1", "x", "--account", "Nowhere")
        self.refused("balance", "--account", "Nowhere")
        self.refused("transfer", "2024-03-05", "10", "Giro", "Nowhere")
        self.assertEqual(self.data()["transactions"], [])

    def test_transfer(self):
        self.good("transfer", "2024-03-05", "100", "Giro", "Savings")
        self.assertEqual(
            self.good("balance").splitlines(), ["Giro: 150.00", "Cash: 20.00", "Savings: 100.00", "total: 270.00"]
        )
        self.assertEqual({row["category"] for row in self.data()["transactions"]}, {"transfer"})
        report = self.good("report", "2024-03")
        self.assertRegex(report, r"income +0\.00\n")
        self.assertRegex(report, r"spent +0\.00\n")
        self.assertRegex(report, r"balance +270\.00")
        self.assertNotIn("transfer", report)

    def test_the_report_is_about_all(self):
        self.good("add", "2024-03-02", "-10", "Bakery")
        self.good("add", "2024-03-02", "-5", "Bakery", "--account", "Cash")
        self.good("budget", "groceries", "12")
        report = self.good("report", "2024-03")
        self.assertRegex(report, r"spent +15\.00")
        self.assertIn("OVER by 3.00", report)

    def test_the_same_line_in_two_statements(self):
        statement = os.path.join(self.folder, "march.csv")
        with open(statement, "w", encoding="utf-8") as file:
            file.write("Date;Text;Amount\n2024-03-02;Fee;-5,00\n")
        self.assertIn("1 added", self.good("import", statement))
        self.assertIn("1 added", self.good("import", statement, "--account", "Cash"))
        self.assertIn("0 added", self.good("import", statement, "--account", "Cash"))
        self.assertIn("0 added", self.good("import", statement))
        self.refused("import", statement, "--account", "Nowhere")

    def test_the_file(self):
        self.good("add", "2024-03-02", "-2.50", "Bakery", "--account", "Cash")
        data = self.data()
        self.assertEqual(data["version"], 2)
        self.assertEqual(
            data["accounts"],
            [{"name": "Giro", "opening": 25000}, {"name": "Cash", "opening": 2000}, {"name": "Savings", "opening": 0}],
        )
        self.assertNotIn("account", data)
        self.assertEqual([row["account"] for row in data["transactions"]], ["Cash"])
        self.assertFalse(os.path.exists(f"{self.file}.v1"))


class MigrationTest(Case):
    def setUp(self):
        super().setUp()
        shutil.copy(OLD, self.file)

    def test_an_old_file_is_read(self):
        self.assertEqual(self.good("balance"), "Giro: 1485.00\n")
        self.assertRegex(self.good("report", "2024-03"), r"spent +865\.00")
        self.assertEqual(self.data()["version"], 1)

    def test_nothing_is_lost(self):
        self.good("account", "Cash")
        data = self.data()
        self.assertEqual((data["version"], len(data["transactions"])), (2, 4))
        self.assertEqual({row["account"] for row in data["transactions"]}, {"Giro"})
        self.assertEqual(data["budgets"], {"groceries": 30000})
        self.assertEqual(self.good("balance").splitlines(), ["Giro: 1485.00", "Cash: 0.00", "total: 1485.00"])

    def test_the_old_file_is_kept_as_it_was(self):
        with open(OLD, "rb") as file:
            before = file.read()
        for words in (("add", "2024-04-01", "-1", "x"), ("add", "2024-04-02", "-1", "y")):
            self.good(*words)
            with open(f"{self.file}.v1", "rb") as file:
                self.assertEqual(file.read(), before)

    def test_other_versions_are_refused(self):
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump({"version": 3}, file)
        self.refused("balance")
