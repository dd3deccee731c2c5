import re
import unittest

from notes.sessions import COOKIE
from notes.users import User
from hidden_check.browser import Browser

PAGES = ("/", "/notes/1", "/notes/77", "/nothing")


def header(browser):
    return re.search(r"<header.*?</header>", browser.body, re.DOTALL)[0]


class NameTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser()
        self.browser.login()
        self.browser.post("/notes", title="Milk", text="2 l")

    def test_every_page_shows_the_name_and_the_button(self):
        for path in PAGES:
            top = header(self.browser.get(path))
            self.assertIn("Ann Olsen", top, path)
            form = re.search(r"<form[^>]*>.*?</form>", top, re.DOTALL)
            self.assertIsNotNone(form, path)
            self.assertRegex(form[0], r"""action=["']/logout["']""")
            self.assertRegex(form[0], r"""(?i)method=["']post["']""")
            self.assertIn("Log out", form[0])

    def test_the_login_page_shows_neither(self):
        browser = Browser()
        for page in (browser.get("/login"), browser.login(password="guess")):
            self.assertNotIn("Ann Olsen", page.body)
            self.assertNotIn("logout", page.body)
            self.assertNotIn("None", header(page))

    def test_the_name_is_text(self):
        browser = Browser(User.create("eve", "<script>x</script>", "secret"))
        browser.login("eve")
        for path in ("/", "/nothing"):
            body = browser.get(path).body
            self.assertNotIn("<script>x", body)
            self.assertIn("&lt;script&gt;x", body)


class LogOutTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser()
        self.browser.login()
        self.old = dict(self.browser.cookies)

    def test_it_leads_to_the_login(self):
        self.browser.post("/logout")
        self.assertEqual((self.browser.status[:3], self.browser.headers["Location"]), ("303", "/login"))

    def test_the_cookie_is_taken_away(self):
        self.browser.post("/logout")
        self.assertTrue(self.browser.headers["Set-Cookie"].startswith(f"{COOKIE}="))
        self.assertIn("Path=/", self.browser.headers["Set-Cookie"])
        self.assertNotIn(COOKIE, self.browser.cookies)

    def test_the_old_cookie_is_dead(self):
        self.browser.post("/logout")
        self.browser.cookies = dict(self.old)
        self.assertEqual(self.browser.get("/").headers.get("Location"), "/login")

    def test_a_link_logs_nobody_out(self):
        self.browser.get("/logout")
        self.browser.cookies = dict(self.old)
        self.assertEqual(self.browser.get("/").status, "200 OK")

    def test_other_sessions_stay(self):
        first = dict(self.browser.cookies)
        self.browser.cookies = {}
        self.browser.login()
        self.browser.post("/logout")
        self.browser.cookies = first
        self.assertEqual(self.browser.get("/").status, "200 OK")

    def test_without_login_it_does_no_harm(self):
        browser = Browser()
        browser.post("/logout")
        self.assertEqual((browser.status[:3], browser.headers["Location"]), ("303", "/login"))
