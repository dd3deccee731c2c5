import unittest

from tests.browser import Browser


class NotesTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser()
        self.browser.login()

    def test_a_note_is_written_and_read(self):
        self.assertEqual(self.browser.post("/notes", title="Milk", text="2 l").headers["Location"], "/notes/1")
        body = self.browser.get("/notes/1").body
        self.assertIn("<h1>Milk</h1>", body)
        self.assertIn("by Ann Olsen", body)

    def test_the_newest_is_first(self):
        self.browser.post("/notes", title="Milk")
        self.browser.post("/notes", title="")
        body = self.browser.get("/").body
        self.assertLess(body.index("Untitled"), body.index("Milk"))

    def test_html_in_notes_is_text(self):
        self.browser.post("/notes", title="<b>x</b>", text="<script>")
        for path in ("/", "/notes/1"):
            self.assertNotIn("<b>x", self.browser.get(path).body)

    def test_missing(self):
        self.assertEqual(self.browser.get("/notes/7").status, "404 Not Found")
        self.assertEqual(self.browser.get("/nothing").status, "404 Not Found")
