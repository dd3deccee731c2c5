"""The ledger in a browser: a page, and the figures behind it as JSON.

    python -m ledger.web ledger.json 8080
"""

import json
import sys
from pathlib import Path
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

from ledger import storage
from ledger.dates import format_month, parse_month
from ledger.errors import LedgerError
from ledger.report import month_report

PAGES = Path(__file__).parent / "pages"
HTML, JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"


class WebApp:
    """A WSGI application over the ledger in one file, which is read for each request."""

    def __init__(self, path):
        self.path = path
        self.routes = {
            "/": self.index,
            "/api/months": self.months,
            "/api/report": self.report,
            "/api/transactions": self.transactions,
        }

    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return _send(start_response, "405 Method Not Allowed", JSON, _json({"error": "Only GET is possible."}))
        route = self.routes.get(environ.get("PATH_INFO") or "/")
        if route is None:
            return _send(start_response, "404 Not Found", JSON, _json({"error": "There is no such page."}))
        query = {name: values[-1] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        try:
            kind, body = route(query)
        except LedgerError as wrong:
            return _send(start_response, "400 Bad Request", JSON, _json({"error": str(wrong)}))
        return _send(start_response, "200 OK", kind, body)

    def index(self, query):
        return HTML, _page("index.html")

    def months(self, query):
        book = storage.load(self.path)
        return JSON, _json({"months": [format_month(month) for month in book.months()]})

    def report(self, query):
        report = month_report(storage.load(self.path), _month(query))
        return JSON, _json(
            {
                "month": format_month(report.month),
                "income": report.income,
                "spent": report.spent,
                "closing": report.closing,
                "categories": [{"name": name, "spent": cents} for name, cents in report.categories],
            }
        )

    def transactions(self, query):
        found = storage.load(self.path).in_month(_month(query))
        if "category" in query:
            found = [t for t in found if t.category == query["category"]]
        return JSON, _json({"transactions": [t.to_json() for t in found]})


def _month(query):
    return parse_month(query.get("month", ""))


def _page(name):
    return (PAGES / name).read_bytes()


def _json(value):
    return json.dumps(value, ensure_ascii=False).encode()


def _send(start_response, status, kind, body):
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]


if __name__ == "__main__":
    file, port = sys.argv[1], int(sys.argv[2])
    print(f"http://127.0.0.1:{port}")
    make_server("127.0.0.1", port, WebApp(file)).serve_forever()
