"""A browser for tests: keeps cookies, does not follow redirects."""

import io
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults

from notes.app import App
from notes.notebook import Notebook
from notes.sessions import Sessions
from notes.users import User, Users

ANN = User.create("ann", "Ann Olsen", "secret")


class Browser:
    def __init__(self, *users):
        self.app = App(Users(users or [ANN]), Sessions(), Notebook())
        self.cookies = {}

    def get(self, path):
        return self.open("GET", path)

    def post(self, path, **form):
        return self.open("POST", path, urlencode(form).encode())

    def open(self, method, path, body=b""):
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        setup_testing_defaults(environ)
        self.status, self.headers = "", {}

        def start_response(status, headers):
            self.status, self.headers = status, dict(headers)

        self.body = b"".join(self.app(environ, start_response)).decode()
        self._keep(self.headers.get("Set-Cookie", ""))
        return self

    def login(self, name="ann", password="secret"):
        return self.post("/login", name=name, password=password)

    def _keep(self, header):
        pair, _, rest = header.partition(";")
        name, _, value = pair.strip().partition("=")
        if not name:
            return
        if "max-age=0" in rest.lower().replace(" ", "") or not value.strip('"'):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value
