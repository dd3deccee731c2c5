"""The pages. Each takes the request and the app and returns a response."""

from notes.http import Response, redirect, set_cookie
from notes.sessions import COOKIE
from notes.templates import fill, page


def login_form(request, app, error="", name=""):
    status = "403 Forbidden" if error else "200 OK"
    return Response(page("login.html", "Log in", error=error, name=name), status)


def login(request, app):
    name = request.form.get("name", "").strip()
    user = app.users.authenticate(name, request.form.get("password", ""))
    if user is None:
        return login_form(request, app, "Name or password is wrong.", name)
    return redirect("/", set_cookie(COOKIE, app.sessions.start(user.name)))


def home(request, app):
    rows = "\n".join(fill_row(note) for note in app.notebook.all())
    return Response(page("home.html", "All notes", notes=rows))


def fill_row(note):
    return fill("row.html", number=note.number, title=note.title, author=note.author)


def add_note(request, app):
    title, text = request.form.get("title", ""), request.form.get("text", "")
    note = app.notebook.add(title, text, request.user.display)
    return redirect(f"/notes/{note.number}")


def show_note(request, app, number):
    note = app.notebook.get(int(number))
    if note is None:
        return missing(request, app)
    return Response(page("note.html", note.title, title=note.title, author=note.author, text=note.text))


def missing(request, app):
    return Response(page("missing.html", "Not found", path=request.path), "404 Not Found")
