"""The WSGI application: finds the page for a request; all but the login need a user."""

import re
from dataclasses import replace

from notes import pages
from notes.http import Request, redirect
from notes.sessions import COOKIE

# method, path, page; groups of the path are given to the page
ROUTES = (
    ("GET", r"/", pages.home),
    ("POST", r"/notes", pages.add_note),
    ("GET", r"/notes/(\d+)", pages.show_note),
)
OPEN_ROUTES = (
    ("GET", r"/login", pages.login_form),
    ("POST", r"/login", pages.login),
)


class App:
    def __init__(self, users, sessions, notebook):
        self.users = users
        self.sessions = sessions
        self.notebook = notebook

    def __call__(self, environ, start_response):
        request = Request.of(environ)
        request = replace(request, user=self._user(request))
        return self._respond(request).send(start_response)

    def _user(self, request):
        name = self.sessions.user_of(request.cookies.get(COOKIE))
        return self.users.get(name) if name else None

    def _respond(self, request):
        found = _match(OPEN_ROUTES, request)
        if found is None and request.user is None:
            return redirect("/login")
        page, groups = found or _match(ROUTES, request) or (pages.missing, ())
        return page(request, self, *groups)


def _match(routes, request):
    for method, path, page in routes:
        found = re.fullmatch(path, request.path)
        if found and method == request.method:
            return page, found.groups()
    return None
