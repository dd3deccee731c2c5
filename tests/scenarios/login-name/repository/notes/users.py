"""Who may log in."""

import getpass
import hashlib
import hmac
import json
import os
import sys
from dataclasses import asdict, dataclass

ROUNDS = 1000


@dataclass(frozen=True)
class User:
    """`name` is what is typed to log in, `display` how others see the user."""

    name: str
    display: str
    salt: str
    digest: str

    @classmethod
    def create(cls, name, display, password):
        salt = os.urandom(8).hex()
        return cls(name, display, salt, _digest(password, salt))

    def knows(self, password):
        return hmac.compare_digest(self.digest, _digest(password, self.salt))


class Users:
    """All users by name."""

    def __init__(self, users=()):
        self._users = {user.name: user for user in users}

    def get(self, name):
        return self._users.get(name)

    def add(self, user):
        self._users[user.name] = user

    def authenticate(self, name, password):
        """The user, or None if name and password do not fit."""
        user = self.get(name)
        return user if user is not None and user.knows(password) else None

    @classmethod
    def load(cls, path):
        if not os.path.exists(path):
            return cls()
        with open(path, encoding="utf-8") as file:
            return cls(User(**row) for row in json.load(file))

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([asdict(user) for user in self._users.values()], file, indent=1)


def _digest(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), ROUNDS).hex()


if __name__ == "__main__":
    everybody = Users.load("users.json")
    everybody.add(User.create(sys.argv[1], sys.argv[2], getpass.getpass()))
    everybody.save("users.json")
