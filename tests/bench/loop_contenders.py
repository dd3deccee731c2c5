"""The harnesses that `loop.py` times, each in a process of its own: `loop_contenders.py ours|bare|mini URL ROUNDS`.

Prints the largest resident size of this process in kB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def ours(url: str, rounds: int) -> None:
    """A real session: model client, tools in cells, trace file with secrets masked."""
    from jobs.agent.budget import Budget  # noqa: PLC0415 (the other contenders run where this is not installed)
    from jobs.agent.context import Context  # noqa: PLC0415
    from jobs.agent.loop import Session  # noqa: PLC0415
    from jobs.model.anthropic import AnthropicModel  # noqa: PLC0415
    from jobs.redact import Redactor  # noqa: PLC0415
    from jobs.sandbox.ahead import ahead  # noqa: PLC0415
    from jobs.sandbox.cell import Cells  # noqa: PLC0415
    from jobs.tasks.task import Task  # noqa: PLC0415
    from jobs.trace.store import FileTrace  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name, Cells.open(Path(name, "data")) as cells:
        tree = Path(name, "tree")
        tree.mkdir()
        (tree / "calc.py").write_text("def add(a, b):\n    return a - b\n")
        cells.own(tree)
        model = AnthropicModel("claude-sonnet-5-5", api_key="key", base_url=url)
        with ahead(cells.on(tree)) as cell:
            session = Session(
                model,
                cell,
                Task("fix", "add is wrong", "`add(1, 2)` gives -1"),
                context=Context(suite="pytest"),
                budget=Budget(rounds=rounds + 10, usd=1000.0, tokens=1 << 40),
                trace=FileTrace(Path(name, "trace.jsonl"), "r-bench", Redactor(["a secret of the run"])),
            )
            done = session.work()
    if done.ended != "done" or done.rounds != rounds + 1:
        raise SystemExit(f"ours ended with {done.ended} after {done.rounds} rounds: {done.summary}")


def bare(url: str, rounds: int) -> None:
    """The vendor's client, streamed, and the command as a plain child process: nothing else that a harness does."""
    from anthropic import Anthropic  # noqa: PLC0415

    client = Anthropic(api_key="key", base_url=url, max_retries=0)
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = [{"name": "shell", "description": "Runs a command.", "input_schema": schema}]
    messages: list[dict[str, object]] = [{"role": "user", "content": "`add(1, 2)` gives -1"}]
    for _ in range(rounds + 1):
        with client.messages.stream(
            model="claude-sonnet-5-5",
            max_tokens=16000,
            messages=messages,  # type: ignore[arg-type]
            tools=tools,  # type: ignore[arg-type]
        ) as stream:
            reply = stream.get_final_message()
        messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
        for block in reply.content:
            if block.type == "tool_use":
                ran = subprocess.run(["sh", "-c", str(block.input["command"])], capture_output=True, check=False)
                text = f"exit code {ran.returncode}\n{ran.stdout.decode()}"
                result = {"type": "tool_result", "tool_use_id": block.id, "content": text}
                messages.append({"role": "user", "content": [result]})


def mini(url: str, rounds: int) -> None:
    """mini-swe-agent as its command line builds it: litellm, bubblewrap, trajectory saved after each step."""
    import yaml  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415
    from minisweagent.agents.default import DefaultAgent  # type: ignore[import-not-found]  # noqa: PLC0415
    from minisweagent.config import get_config_path  # type: ignore[import-not-found]  # noqa: PLC0415
    from minisweagent.environments.extra.bubblewrap import (  # type: ignore[import-not-found]  # noqa: PLC0415
        BubblewrapEnvironment,
    )
    from minisweagent.models.litellm_model import LitellmModel  # type: ignore[import-not-found]  # noqa: PLC0415

    config = yaml.safe_load(get_config_path("mini").read_text())
    with tempfile.TemporaryDirectory() as name:
        model = LitellmModel(
            model_name="anthropic/claude-sonnet-4-5",
            model_kwargs={"api_base": url, "api_key": "key"},
            set_cache_control="default_end",
            cost_tracking="ignore_errors",
        )
        told = {key: config["agent"][key] for key in ("system_template", "instance_template")}
        agent = DefaultAgent(
            model,
            BubblewrapEnvironment(executable=os.environ["BENCH_BWRAP"]),
            **told,
            cost_limit=0,
            output_path=Path(name, "trajectory.json"),
        )
        done = agent.run("`add(1, 2)` gives -1")
    if done.get("exit_status") != "Submitted" or agent.n_calls != rounds + 1:
        raise SystemExit(f"mini-swe-agent ended with {done} after {agent.n_calls} rounds")


def peak_kb() -> int:
    """The largest resident size that this process has had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    {"ours": ours, "bare": bare, "mini": mini}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
    print(peak_kb())
