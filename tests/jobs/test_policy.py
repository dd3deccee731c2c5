from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from jobs import policy
from jobs.errors import UserError
from jobs.policy import Project, Service, VerifyTrigger, default, parse, schema

SHIPPED = Path(policy.__file__).with_name("policy.schema.json")
FULL = """
setup: ["uv sync"]           # a comment
test: "uv run pytest"
projects: [{path: web, setup: ["npm ci"], test: "npm test"}]
fixers: ["ruff check --fix", "ruff format"]
services: [{run: "redis-server --port 6379", ready: "redis-cli ping"}]
hosts: [packages.example.org, "mirror.example.org:8443"]
env: {DJANGO_SETTINGS_MODULE: app.settings, WORKERS: 2, DEBUG: true, COLOUR: yes}
base: main
triggers: {ci: propose, bump: "0 3 * * *", verify: {authors: [bots], forks: true}}
who: {roles: [write, maintain, admin], bots: [41898282]}
budget: {usd_per_run: 2, usd_per_day: 20, rounds: 60, minutes: 45, verify_minutes: 60}
protect: ["migrations/**"]
pull_request: {draft: unproven, labels: [agent], reviewers: [requester]}
commit: {signoff: false}
bump: {ignore: [], cooldown_days: 3, limit: 5, workflows: false}
model: claude-sonnet-5-5
"""


def test_every_key_is_read() -> None:
    read = parse(FULL.encode())
    assert read.setup == ("uv sync",)
    assert read.projects == (Project(path="web", setup=("npm ci",), test="npm test"),)
    assert read.services == (Service(run="redis-server --port 6379", ready="redis-cli ping"),)
    assert read.hosts == ("packages.example.org", "mirror.example.org:8443")
    assert read.env == {
        "DJANGO_SETTINGS_MODULE": "app.settings",
        "WORKERS": "2",
        "DEBUG": "true",
        "COLOUR": "yes",
    }
    assert (read.triggers.ci, read.triggers.bump) == ("propose", "0 3 * * *")
    assert read.triggers.verify == VerifyTrigger(authors=("bots",), forks=True)
    assert (read.who.bots, read.budget.usd_per_run, read.model) == ((41898282,), 2.0, "claude-sonnet-5-5")


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b"---\n", b"\xef\xbb\xbf", b"triggers: {ci: off, bump: off}"])
def test_nothing_said_is_the_default(text: bytes) -> None:
    assert parse(text) == default()
    assert (default().triggers.ci, default().triggers.bump, default().triggers.verify) == ("off", "off", None)
    assert default().who.roles == ("write", "maintain", "admin")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tets: a", 'line 1: unknown key "tets"; did you mean "test"?'),
        ("test: a\nbudget:\n  usd_per_rnu: 2", 'line 3: unknown key "usd_per_rnu"; did you mean "usd_per_run"?'),
        ("triggers:\n  verify: {autors: []}", 'line 2: unknown key "autors"; did you mean "authors"?'),
        ("services:\n - {rnu: x}", 'line 2: unknown key "rnu"; did you mean "run"?'),
        ("quux: 1", 'unknown key "quux"; known here: setup, test, '),
        ("test: a\ntest: b", 'line 2: the key "test" comes twice'),
        ("setup: npm ci", "line 1: setup: should be a list"),
        ("setup: [3]", "line 1: setup.0: should be text"),
        ("test: 3", "line 1: test: should be text"),
        ("test: ''", "test: should have at least 1 character"),
        ("budget: {usd_per_run: abc}", "budget.usd_per_run: should be a valid number"),
        ("budget: {usd_per_run: .inf}", "should be a finite number"),
        ("budget: {usd_per_run: 0}", "should be greater than 0"),
        ("budget: {rounds: 1.5}", "budget.rounds: should be a valid integer"),
        ("budget: 3", "line 1: budget: should be keys and values"),
        ("triggers:\n  ci: off\n  bump: nope", "line 3: triggers.bump: should be five cron fields"),
        ("triggers: {ci: on}", "triggers.ci: should be 'off', 'propose' or 'push'"),
        ("who:\n  roles: [boss]", "line 2: who.roles.0: should be"),
        ("hosts: ['https://x.example/']", "hosts.0: should be a host's name"),
        ("env: {'A B': x}", "should be the name of an environment variable"),
        ("env: {A: [1]}", "env.A: should be text"),
        ("projects:\n - path: ../x", "line 2: projects.0.path: should be a path inside the repository"),
        ("- a", "line 1: should be keys and values"),
        ("a: [", "line 1:"),
        ("test: a\n\tb: c", "line 2:"),
        ("x: &a 1\ny: *a", "line 1: anchors and aliases are not supported"),
        ("!!python/object/apply:os.system ['id']", "could not determine a constructor"),
        ("--- {}\n--- {}", "expected a single document"),
        ("a: " + "[" * 20_000 + "]" * 20_000, "nested too deeply"),
        ("#" * 70_000, "longer than 64 KB"),
    ],
    ids=lambda value: value[:24],
)
def test_what_is_wrong_is_told_in_one_sentence_with_its_line(text: str, words: str) -> None:
    with pytest.raises(UserError) as told:
        parse(text.encode())
    assert str(told.value).startswith(".github/patchwright.yml")
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_bytes_that_are_no_text_are_told() -> None:
    with pytest.raises(UserError, match="not UTF-8"):
        parse(b"test: \xff")


def test_the_shipped_schema_is_the_models() -> None:
    assert json.loads(SHIPPED.read_text()) == json.loads(json.dumps(schema()))


def test_the_schema_takes_the_full_file_and_refuses_unknown_keys() -> None:
    shipped = json.loads(SHIPPED.read_text())
    Draft202012Validator.check_schema(shipped)
    validator = Draft202012Validator(shipped)
    full = yaml.safe_load(FULL)
    assert list(validator.iter_errors(full)) == []
    assert len(list(validator.iter_errors({**full, "tets": "x"}))) == 1
    assert len(list(validator.iter_errors({**full, "budget": {"rounds": "many"}}))) == 1
