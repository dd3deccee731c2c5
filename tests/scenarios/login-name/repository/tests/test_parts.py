import os
import tempfile
import unittest

from notes.sessions import LIFETIME_S, Sessions
from notes.templates import fill
from notes.users import User, Users


class SessionsTest(unittest.TestCase):
    def test_a_session_ends_by_itself(self):
        now = [1000.0]
        sessions = Sessions(lambda: now[0])
        ident = sessions.start("ann")
        self.assertEqual(sessions.user_of(ident), "ann")
        now[0] += LIFETIME_S
        self.assertIsNone(sessions.user_of(ident))

    def test_a_session_is_ended(self):
        sessions = Sessions()
        ident = sessions.start("ann")
        sessions.end(ident)
        sessions.end(ident)
        self.assertIsNone(sessions.user_of(ident))


class UsersTest(unittest.TestCase):
    def test_users_are_kept_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "users.json")
            Users([User.create("ann", "Ann Olsen", "secret")]).save(path)
            users = Users.load(path)
        self.assertEqual(users.authenticate("ann", "secret").display, "Ann Olsen")
        self.assertIsNone(users.authenticate("ann", "Secret"))
        self.assertIsNone(users.authenticate("bo", "secret"))


class TemplatesTest(unittest.TestCase):
    def test_values_are_escaped(self):
        self.assertIn("&lt;i&gt;", fill("note.html", title="<i>", author="", text=""))
