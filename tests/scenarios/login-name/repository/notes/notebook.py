"""The notes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    number: int
    title: str
    text: str
    author: str


class Notebook:
    """Notes by number, from 1."""

    def __init__(self):
        self._notes = {}

    def add(self, title, text, author):
        note = Note(len(self._notes) + 1, title.strip() or "Untitled", text, author)
        self._notes[note.number] = note
        return note

    def get(self, number):
        return self._notes.get(number)

    def all(self):
        """The newest first."""
        return sorted(self._notes.values(), key=lambda note: -note.number)
