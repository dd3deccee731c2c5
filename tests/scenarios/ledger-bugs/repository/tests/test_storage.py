import os
import tempfile
import unittest

from ledger import storage
from ledger.errors import BadFile
from tests.sample import sample_book


class StorageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "ledger.json")

    def test_what_was_saved_is_loaded(self):
        storage.save(sample_book(), self.path)
        self.assertEqual(storage.load(self.path), sample_book())

    def test_a_missing_file(self):
        with self.assertRaisesRegex(BadFile, "run init first"):
            storage.load(self.path)

    def test_another_version(self):
        with self.assertRaisesRegex(BadFile, "version 9"):
            storage.from_json({"version": 9})

    def test_no_ledger_at_all(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("[1, 2]")
        with self.assertRaises((BadFile, AttributeError)):
            storage.load(self.path)
