import json
import os
import tempfile
import unittest
from wsgiref.util import setup_testing_defaults

from ledger import storage
from ledger.web import WebApp
from tests.sample import sample_book


class WebTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "ledger.json")
        storage.save(sample_book(), self.path)

    def get(self, path, query="", method="GET"):
        environ = {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": method}
        setup_testing_defaults(environ)
        told = {}
        body = b"".join(WebApp(self.path)(environ, lambda status, headers: told.update(status=status, **dict(headers))))
        return told["status"], told["Content-Type"], body

    def get_json(self, path, query=""):
        status, kind, body = self.get(path, query)
        self.assertEqual(kind, "application/json; charset=utf-8")
        return status, json.loads(body)

    def test_the_page(self):
        status, kind, body = self.get("/")
        self.assertEqual((status, kind), ("200 OK", "text/html; charset=utf-8"))
        self.assertIn(b"<h1>Ledger</h1>", body)

    def test_months(self):
        self.assertEqual(self.get_json("/api/months"), ("200 OK", {"months": ["2024-02", "2024-03", "2024-04"]}))

    def test_report(self):
        status, report = self.get_json("/api/report", "month=2024-03")
        self.assertEqual((report["income"], report["spent"], report["closing"]), (210000, 87420, 357580))
        self.assertEqual(report["categories"][0], {"name": "rent", "spent": 78000})

    def test_transactions_of_a_category(self):
        _, found = self.get_json("/api/transactions", "month=2024-03&category=groceries")
        self.assertEqual([row["cents"] for row in found["transactions"]], [-4250, -3180])

    def test_what_is_wrong(self):
        self.assertEqual(self.get_json("/api/report", "month=March")[0], "400 Bad Request")
        self.assertEqual(self.get_json("/api/report")[0], "400 Bad Request")
        self.assertEqual(self.get_json("/nowhere")[0], "404 Not Found")
        self.assertEqual(self.get("/", method="POST")[0], "405 Method Not Allowed")
