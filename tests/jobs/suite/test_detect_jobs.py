"""Which job of a repository's workflows stands for its tests, and what comes along with it."""

from __future__ import annotations

import pytest
from workflow_trees import ON, PY, found, job

GO = {"go.mod": "module m\n", "a_test.go": ""}


def test_of_a_matrix_the_newest_linux_row_counts() -> None:
    matrix = (
        "    strategy:\n      matrix:\n        os: [windows-latest, ubuntu-latest]\n        python: ['3.9', '3.13']\n"
        "        include:\n          - {os: ubuntu-latest, python: '3.13', extra: -p no:cacheprovider}\n"
    )
    steps = ("uses: actions/setup-python@v5\n        with: {python-version: '${{ matrix.python }}'}",)
    workflow = job(
        *steps, "run: pytest ${{ matrix.extra }} -k v${{ matrix.python }}", more=matrix, system="${{ matrix.os }}"
    )
    toolchain = found(PY, workflow)
    assert toolchain.suite is not None
    assert toolchain.suite.command == "pytest -p no:cacheprovider -k v3.13"
    assert not toolchain.unmet


def test_variables_of_the_tests_come_along_and_the_machines_own_do_not() -> None:
    top = (
        "env:\n  DJANGO_SETTINGS_MODULE: app.settings\n  FORCE_COLOR: 1\n  API_TOKEN: ${{ secrets.API }}\n  "
        "PIP_CACHE: x\n"
    )
    steps = ("run: pytest\n        env: {DEBUG: true, PORT: 8080, DATABASE_URL: '${{ secrets.DB }}'}",)
    toolchain = found(PY, job(*steps, top=top))
    assert toolchain.env == {"DJANGO_SETTINGS_MODULE": "app.settings", "DEBUG": "true", "PORT": "8080"}
    assert {need.name for need in toolchain.needs if need.kind == "secret"} == {"API", "DB"}


def test_variables_that_lead_to_a_service_are_left_out_and_named() -> None:
    more = "    services:\n      cache: {image: redis}\n    env: {CACHE_URL: 'redis://localhost:6379/0', MODE: ci}\n"
    toolchain = found(PY, job("run: pytest", more=more))
    assert toolchain.env == {"MODE": "ci"}
    assert any(why.startswith("CACHE_URL leads to a service") for why in toolchain.why)
    assert found(PY, job("run: pytest", more="    env: {URL: 'http://localhost:1'}\n")).env == {
        "URL": "http://localhost:1"
    }


def test_a_local_action_and_a_called_workflow_are_read() -> None:
    caller = ON + "jobs:\n  all:\n    uses: ./.github/workflows/reusable.yml\n    with: {marks: unit}\n"
    called = (
        "on:\n  workflow_call:\n    inputs:\n      marks: {type: string, default: all}\n      extra: {default: -q}\n"
        "jobs:\n  tests:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ./.github/actions/run\n"
        "        with:\n          line: pytest -m ${{ inputs.marks }} ${{ inputs.extra }}\n"
    )
    action = (
        "inputs:\n  line: {required: true}\nruns:\n  using: composite\n  steps:\n"
        "    - run: ${{ inputs.line }}\n      shell: bash\n"
    )
    more = {".github/workflows/reusable.yml": called, ".github/actions/run/action.yml": action}
    toolchain = found(PY, caller, **more)
    assert toolchain.suite is not None
    assert toolchain.suite.command == "pytest -m unit -q"


def test_other_jobs_of_a_workflow_do_not_stand_for_its_tests() -> None:
    workflow = (
        ON + "jobs:\n  docs:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest docs\n"
        "  e2e:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest e2e\n"
        "  windows:\n    runs-on: windows-latest\n    steps:\n      - run: pytest -k windows\n"
        "  unit:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest unit\n"
    )
    nightly = (
        "on: {schedule: [{cron: '0 0 * * *'}]}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{run: "
        "pytest all}]\n"
    )
    toolchain = found(PY, workflow, **{".github/workflows/a.yml": nightly})
    assert toolchain.suite is not None
    assert toolchain.suite.command == "pytest unit"


def test_several_test_commands_are_parts_of_one_suite() -> None:
    toolchain = found(GO, job("run: go test ./a/...", "run: go test -tags=slow ./b/..."))
    assert toolchain.suite is not None
    assert [part.command for part in toolchain.suite.parts] == ["go test ./a/...", "go test -tags=slow ./b/..."]
    assert toolchain.suite.command == "go test ./a/... && go test -tags=slow ./b/..."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n- b\n",
        "jobs: 3\n",
        "jobs: {a: {steps: 7}}\n",
        "on: push\njobs: {a: *nothing}\n",
        "a: b: c\n",
        "\x00",
        "a: &x [*x]\n",
        (
            "on: push\njobs:\n  a:\n    runs-on: [x, {y: z}]\n    strategy: {matrix: '${{ fromJSON(needs.a.outputs.m) "
            "}}'}\n    steps: [{run: 5}, {uses: ./x}, 3]\n"
        ),
        (
            "on: push\nx: &a [1,1,1,1,1,1,1,1]\ny: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nz: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nw: "
            "[*c,*c,*c,*c,*c,*c,*c]\njobs: {a: {runs-on: *c, env: {A: *c}, steps: [{run: pytest, with: *c}]}}\n"
        ),
    ],
)
def test_workflows_that_are_none_change_nothing(text: str) -> None:
    toolchain = found(PY, text)
    assert toolchain.suite is not None
    assert toolchain.suite.command == "pytest"


def test_without_tests_in_ci_what_prepares_agents_and_containers_is_installed() -> None:
    steps = (
        "on: workflow_dispatch\njobs:\n  copilot-setup-steps:\n    runs-on: ubuntu-latest\n"
        "    steps: [{run: pip install -r requirements/ci.txt}]\n"
    )
    files = {**PY, "requirements/ci.txt": "mock\n"}
    assert "-r requirements/ci.txt" in found(files, steps).setup[1]
    container = '{\n  // made for people\n  "postCreateCommand": "pip install hypothesis",\n}\n'
    assert "hypothesis" in found(PY, "", **{".devcontainer/devcontainer.json": container}).setup[1]
    assert "hypothesis" not in found(PY, "", **{".devcontainer/devcontainer.json": "{"}).setup[1]
