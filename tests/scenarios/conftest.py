"""Keeps the scenarios' own suites out of ours: they belong to the repositories that a model is given."""

collect_ignore_glob = ["*/repository/*", "*/hidden/*"]
