"""The client library that the product uses, against the hub: its strict models and its App authentication."""

from __future__ import annotations

from githubkit import GitHub, TokenAuthStrategy
from githubkit.auth import AppAuthStrategy
from githubkit.utils import UNSET
from hub_fixture import REPO, WRITER, hub

from app.local.hub.server import Hub

__all__ = ["hub"]
OWNER, NAME = REPO.split("/")


def test_app_authentication_scopes_a_token_and_the_models_parse(hub: Hub) -> None:
    number = hub.open_issue(REPO, WRITER, "Wrong", "It is")
    app = GitHub(AppAuthStrategy(hub.app_id, hub.private_key), base_url=hub.url, timeout=20, http_cache=False)
    with app:
        installation = app.rest.apps.get_repo_installation(OWNER, NAME).parsed_data
        assert installation.id == hub.installation_id(REPO)
        body = {"repositories": [NAME], "permissions": {"issues": "write"}}
        token = app.rest.apps.create_installation_access_token(installation.id, data=body).parsed_data
    assert token.repositories is not UNSET
    with GitHub(TokenAuthStrategy(token.token), base_url=f"{hub.url}/api/v3", timeout=20, http_cache=False) as client:
        comment = client.rest.issues.create_comment(OWNER, NAME, number, body="Working").parsed_data
        client.rest.reactions.create_for_issue_comment(OWNER, NAME, comment.id, content="eyes")
        every = list(
            client.rest.paginate(client.rest.issues.list_comments, owner=OWNER, repo=NAME, issue_number=number)
        )
    assert [c.body for c in every] == ["Working"]
    assert [r["content"] for r in hub.reactions(REPO, number, comment.id)] == ["eyes"]
