import unittest

from notes.sessions import COOKIE
from tests.browser import Browser


class LoginTest(unittest.TestCase):
    def test_without_login_there_is_only_the_form(self):
        browser = Browser()
        self.assertEqual(browser.get("/").headers["Location"], "/login")
        self.assertIn("<h1>Log in</h1>", browser.get("/login").body)
        self.assertEqual(browser.get("/notes/1").status, "303 See Other")

    def test_login(self):
        browser = Browser().login()
        self.assertEqual((browser.status, browser.headers["Location"]), ("303 See Other", "/"))
        self.assertIn("HttpOnly", browser.headers["Set-Cookie"])
        self.assertIn("<h1>All notes</h1>", browser.get("/").body)

    def test_a_wrong_password(self):
        browser = Browser().login(password="guess")
        self.assertEqual(browser.status, "403 Forbidden")
        self.assertIn("Name or password is wrong.", browser.body)
        self.assertNotIn(COOKIE, browser.cookies)

    def test_a_made_up_session(self):
        browser = Browser()
        browser.cookies[COOKIE] = "x"
        self.assertEqual(browser.get("/").headers["Location"], "/login")
