"""Uses the management client on a running instance: ``use_management.py <url> <key>``; mypy holds it against the types."""

from __future__ import annotations

import sys

from signalbox_sdk.management import ApiProblem, create_client


def main(url: str, key: str) -> None:
    api = create_client(url, key, patient=True)
    made = api.agents_create({"name": "Made from Python"})
    assert api.agents_get(made["id"])["name"] == "Made from Python"
    api.agents_update(made["id"], {"description": "ümlaut"})
    found = api.agents_list(q="Python", limit=1)
    assert [agent["description"] for agent in found["agents"]] == ["ümlaut"], found
    assert found["pagination"]["total"] == 1
    api.agents_delete(made["id"])
    for wrong, status, code in (
        (lambda: api.agents_get(made["id"]), 404, "not_found"),
        (lambda: api.agents_create({"nam": ""}), 400, "invalid_request"),  # type: ignore[typeddict-item]
        (lambda: create_client(url, None, patient=True).agents_list(), 401, None),
        (lambda: create_client("http://127.0.0.1:1", key).agents_list(), 0, "unreachable"),
    ):
        try:
            wrong()
        except ApiProblem as problem:
            assert (problem.status, code or problem.code) == (status, problem.code), problem.code
        else:
            raise AssertionError(f"There was no {status}.")
    print("The API is as it is typed.")


main(*sys.argv[1:])
