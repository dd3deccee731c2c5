from __future__ import annotations

from github_world import NAME, World


def test_who_the_app_is_and_where_it_is_installed(gh: World) -> None:
    me = gh.app.whoami()
    assert me.id == gh.hub.app_id
    installed = gh.app.installation(NAME)
    assert installed is not None
    assert installed.id == gh.hub.installation_id(NAME)
    assert not installed.suspended
    assert gh.app.installation("acme/none") is None


def test_deliveries_are_listed_page_by_page_and_sent_again(gh: World) -> None:
    gh.hub.webhook_to("http://127.0.0.1:9/nobody")
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    for n in range(120):
        gh.hub.comment(NAME, number, "ann", f"comment {n}")
    assert gh.hub.settle()
    listed = list(gh.app.deliveries())
    assert len(listed) >= 120
    assert len({d.id for d in listed}) == len(listed)
    assert not any(d.ok for d in listed)
    assert len(list(gh.app.deliveries(most=7))) == 7
    failed = listed[0]
    gh.app.redeliver(failed.id)
    assert gh.hub.settle()
    again = next(iter(gh.app.deliveries()))
    assert (again.guid, again.redelivery, again.event) == (failed.guid, True, failed.event)
