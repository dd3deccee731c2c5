import sys
from wsgiref.simple_server import make_server

from notes.app import App
from notes.notebook import Notebook
from notes.sessions import Sessions
from notes.users import Users

port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
app = App(Users.load("users.json"), Sessions(), Notebook())
print(f"http://127.0.0.1:{port}")
make_server("127.0.0.1", port, app).serve_forever()
