"""The pages: readable, and safe against what people write."""

from __future__ import annotations

import httpx
import pytest
from hub_fixture import REPO, WRITER, hub, rest

from app.local.hub.markdown import render
from app.local.hub.server import Hub

__all__ = ["hub"]


def page(hub: Hub, path: str) -> httpx.Response:
    """A page as a browser gets it."""
    return httpx.get(hub.url + path, trust_env=False)


def test_a_pull_request_page_shows_everything(hub: Hub) -> None:
    sha = hub.push(REPO, "agent/fix-1", {"calc.py": "def add(a, b):\n    return a + b\n"}, WRITER)
    number = hub.open_pull(REPO, WRITER, title="Fix <add>", head="agent/fix-1", body="| a | b |\n|---|---|\n| 1 | 2 |")
    hub.comment(REPO, number, WRITER, "Looks **good**")
    with rest(hub) as client:
        output = {"title": "Proven", "summary": "All *tests* pass"}
        body = {"name": "patchwright", "head_sha": sha, "conclusion": "success", "output": output}
        check = client.post(f"/repos/{REPO}/check-runs", json=body).json()
        comment = hub.comments(REPO, number)[0]["id"]
        client.post(f"/repos/{REPO}/issues/comments/{comment}/reactions", json={"content": "hooray"})
    text = page(hub, f"/{REPO}/pull/{number}").text
    for part in (
        "Fix &lt;add&gt;",
        "<td>1</td>",
        "<strong>good</strong>",
        "🎉",
        "patchwright",
        "-    return a - b",
        "+    return a + b",
    ):
        assert part in text
    assert "All <em>tests</em> pass" in page(hub, f"/{REPO}/runs/{check['id']}").text
    assert page(hub, f"/{REPO}/pull/{number}.diff").text.startswith("diff --git a/calc.py b/calc.py")


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), (f"/{REPO}", 200), (f"/{REPO}/commit/main", 200), (f"/{REPO}/blob/main/calc.py", 200),
     (f"/{REPO}/raw/main/calc.py", 200), (f"/{REPO}/issues/9", 404), ("/no/where", 404), ("/static/hub.css", 200)],
)  # fmt: skip
def test_every_page_opens(hub: Hub, path: str, status: int) -> None:
    answer = page(hub, path)
    assert answer.status_code == status
    if answer.headers["content-type"].startswith("text/html"):
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("seen<!-- marker -->", "<p>seen</p>\n"),
        ("<details onclick=x>", "&lt;details onclick=x&gt;"),
        ("<details><summary>More</summary>\n\n**b**\n\n</details>",
         "<details><summary>More</summary>\n<p><strong>b</strong></p>\n</details>"),
    ],
    ids=["script", "handler", "javascript link", "comment", "attribute", "details"],
)  # fmt: skip
def test_markdown_is_safe_and_keeps_what_receipts_use(text: str, html: str) -> None:
    assert render(text) == html


def test_an_app_is_registered_by_manifest_and_its_code_works_once(hub: Hub) -> None:
    manifest = '{"name": "Mine", "redirect_url": "http://127.0.0.1:1/done", "hook_attributes": {"url": "http://127.0.0.1:9/w"}}'
    answer = httpx.post(f"{hub.url}/settings/apps/new?state=s1", data={"manifest": manifest}, trust_env=False)
    there = httpx.URL(answer.headers["location"])
    assert (answer.status_code, there.path, there.params["state"]) == (302, "/done", "s1")
    path = f"{hub.url}/api/v3/app-manifests/{there.params['code']}/conversions"
    first, second = (httpx.post(path, trust_env=False) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 404)
    assert first.json()["pem"] == hub.private_key
    assert first.json()["webhook_secret"] == hub.webhook_secret
