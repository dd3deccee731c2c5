import json
import os
import re
import tempfile
import unittest
from wsgiref.util import setup_testing_defaults

from ledger import storage
from ledger.web import WebApp
from hidden_check.sample import sample_book, transaction


class BudgetsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "ledger.json")
        book = sample_book()
        book.add(transaction("2024-03-31", -6000, "Cinema", "fun"))
        storage.save(book, self.path)

    def get(self, path, query="", method="GET"):
        environ = {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": method}
        setup_testing_defaults(environ)
        told = {}
        body = b"".join(WebApp(self.path)(environ, lambda status, headers: told.update(status=status, **dict(headers))))
        return told["status"], told["Content-Type"], body.decode()

    def test_the_endpoint(self):
        status, kind, body = self.get("/api/budgets", "month=2024-03")
        self.assertEqual((status, kind), ("200 OK", "application/json; charset=utf-8"))
        self.assertEqual(
            json.loads(body),
            {
                "month": "2024-03",
                "budgets": [
                    {"category": "fun", "planned": 5000, "spent": 6000, "left": -1000, "over": True},
                    {"category": "groceries", "planned": 10000, "spent": 7430, "left": 2570, "over": False},
                ],
            },
        )

    def test_bad_months(self):
        for query in ("month=March", "month=2024-13", ""):
            self.assertEqual(self.get("/api/budgets", query)[0], "400 Bad Request", query)

    def test_the_page(self):
        status, kind, body = self.get("/budgets")
        self.assertEqual((status, kind), ("200 OK", "text/html; charset=utf-8"))
        self.assertRegex(body, r"<h1[^>]*>\s*Budgets\s*</h1>")
        self.assertIn("/api/budgets", body)
        self.assertRegex(body, r"\bover\b")

    def test_the_links(self):
        for page in ("/", "/budgets"):
            nav = re.search(r"<nav.*?</nav>", self.get(page)[2], re.DOTALL)
            self.assertIsNotNone(nav, page)
            self.assertRegex(nav[0], r"""href=["']/["']""")
            self.assertRegex(nav[0], r"""href=["']/budgets["']""")

    def test_the_rest_is_as_before(self):
        self.assertEqual(self.get("/budgets", method="POST")[0], "405 Method Not Allowed")
        self.assertEqual(self.get("/budget")[0], "404 Not Found")
        self.assertIn("<h1>Ledger</h1>", self.get("/")[2])
