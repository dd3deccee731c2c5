"""Requests and responses, as far as the pages need them."""

from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    form: dict
    cookies: dict
    user: object = None  # the User who is logged in

    @classmethod
    def of(cls, environ):
        """The request of a WSGI environment, without its user."""
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length).decode("utf-8", "replace") if length else ""
        form = {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True).items()}
        return cls(environ["REQUEST_METHOD"], environ.get("PATH_INFO") or "/", form, _cookies(environ))


@dataclass(frozen=True)
class Response:
    body: str = ""
    status: str = "200 OK"
    headers: list = field(default_factory=list)

    def send(self, start_response):
        data = self.body.encode()
        always = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(data)))]
        start_response(self.status, [*always, *self.headers])
        return [data]


def redirect(place, *headers):
    return Response("", "303 See Other", [("Location", place), *headers])


def set_cookie(name, value):
    """A cookie for this browser session that no script can read."""
    return ("Set-Cookie", f"{name}={value}; Path=/; HttpOnly; SameSite=Lax")


def _cookies(environ):
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(environ.get("HTTP_COOKIE", "")).items()}
    except CookieError:
        return {}
