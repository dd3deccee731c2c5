"""How often an edit lands where it was meant: ours, plain replace and aider's matcher, on the same seeded cases.

    python tests/bench/edits.py [EACH] [SEED]

EACH cases of every kind, made from this machine's source files. aider's package is installed into an environment of
its own under the cache folder. Exits 1 if anything of ours is wrong, too little is applied, or a miss takes too long.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from edit_cases import Case, cases

from jobs.agent.tools.lines import Lines
from jobs.agent.tools.match import Ambiguous, Missed, apply, find, write
from jobs.agent.tools.miss import told
from jobs.agent.tools.nearest import nearest

Answer = tuple[bytes | None, float]  # the new bytes (None: refused), milliseconds
Matcher = Callable[[Case], Answer]
APPLIED, PLACED, MISS_MS = 0.95, 0.95, 15.0
_PACKAGE = "aider-chat"
_CHILD = Path(__file__).resolve().parents[1] / "support" / "aider_matcher.py"


def ours(case: Case) -> Answer:
    """Our matcher; a miss includes the search for the nearest places."""
    started = time.perf_counter()
    lines = Lines.decode(case.data)
    made: bytes | None = None
    try:
        made = write(lines, find(lines, case.old, case.new, change_context=case.context).hits).encode()
    except Ambiguous:
        pass
    except Missed:
        told(lines, case.old)
    return made, (time.perf_counter() - started) * 1000


def plain_replace(case: Case) -> Answer:
    """str.replace where the text stands once."""
    started = time.perf_counter()
    code = "utf-16-le" if case.form == "utf-16" else "latin-1" if case.form == "latin-1" else "utf-8"
    try:
        old, new = case.old.encode(code), case.new.encode(code)
    except UnicodeEncodeError:
        return None, 0.0
    once = old != new and old != b"" and case.data.count(old) == 1
    return case.data.replace(old, new) if once else None, (time.perf_counter() - started) * 1000


@contextmanager
def aider() -> Iterator[Matcher | None]:
    """aider's matcher in a process of its own; None, said aloud, if its package can't be had."""
    source = _installed()
    if source is None:
        yield None
        return
    argv = [sys.executable, str(_CHILD), str(source)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        questions, answers = child.stdin, child.stdout
        assert questions is not None
        assert answers is not None

        def ask(case: Case) -> Answer:
            row = {"data": base64.b64encode(case.data).decode(), "old": case.old, "new": case.new}
            questions.write(json.dumps(row) + "\n")
            questions.flush()
            answer = json.loads(answers.readline())
            return (None if answer["data"] is None else base64.b64decode(answer["data"])), answer["ms"]

        yield ask
        questions.close()


def _installed() -> Path | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "patchwright-bench", "aider")
    pattern = "lib/python*/site-packages/aider/coders/editblock_coder.py"
    if not list(cache.glob(pattern)):
        install = ["uv", "pip", "install", "-q", "--python", str(cache / "bin/python"), "--no-deps", _PACKAGE]
        for argv in (["uv", "venv", "-q", str(cache)], install):
            done = subprocess.run(argv, capture_output=True, text=True)
            if done.returncode:
                print(f"aider is not compared: {' '.join(argv[:3])} failed: {done.stderr.strip()[-300:]}")
                return None
    return next(cache.glob(pattern), None)


def verdict(case: Case, made: bytes | None) -> str:
    """right, loose (right but for white space), wrong, refused; of what must be refused: due or APPLIED."""
    if case.want is None:
        return "due" if made is None else "APPLIED"
    if made is None:
        return "refused"
    if made == case.want:
        return "right"
    return "loose" if made.split() == case.want.split() else "wrong"


def table(every: Sequence[Case], matchers: dict[str, Matcher]) -> dict[str, Counter[str]]:
    """Asks every matcher every case, prints the kinds side by side, gives the totals."""
    kinds: dict[str, dict[str, Counter[str]]] = {}
    for case in every:
        row = kinds.setdefault(case.kind, {name: Counter() for name in matchers})
        for name, ask in matchers.items():
            found = verdict(case, ask(case)[0])
            row[name][found] += 1
            if name == "ours" and found in ("loose", "wrong", "APPLIED") and row[name][found] <= 2:
                print(f"{found} {case.kind} {case.form} {case.suffix}\n--- old\n{case.old}\n--- new\n{case.new}")
    totals: dict[str, Counter[str]] = {name: Counter() for name in matchers}
    for kind, row in kinds.items():
        print(f"{kind:20}" + "   ".join(f"{name}: {_words(counts)}" for name, counts in row.items()))
        for name, counts in row.items():
            totals[name] += counts
    return totals


def _words(counts: Counter[str]) -> str:
    return " ".join(f"{counts[word]} {word}" for word in sorted(counts))


def placed(every: Sequence[Case]) -> float:
    """Of the misses that meant a place: the share whose candidates contain at least half of it."""
    hit = total = 0
    lost: Counter[str] = Counter()
    for case in every:
        if case.want is not None or case.place is None or not case.old or case.old == case.new:
            continue
        try:
            apply(case.data, case.old, case.new, change_context=case.context)
        except Ambiguous:
            continue
        except Missed:
            first, stop = case.place
            found = nearest(Lines.decode(case.data), case.old)
            covers = (min(c.last + 1, stop) - max(c.first, first) for c in found)
            good = any(2 * c >= min(stop - first, case.old.count("\n") + 1) for c in covers)
            total, hit = total + 1, hit + good
            lost[case.kind] += not good
    print(f"candidates contain the true place in {hit} of {total} misses; not: {_words(+lost)}")
    return hit / max(1, total)


def speed(matchers: dict[str, Matcher]) -> float:
    """Prints the best milliseconds of 15 in a file of 10,000 lines, asked in turn; gives ours of a miss."""
    rows = [f"    value_{n} = compute(item_{n % 97}, {n * 7})  # step {n}" if n % 9 else "" for n in range(10_000)]
    data, there = "\n".join([*rows, ""]).encode(), rows[7003:7009]
    exact = "\n".join(there)
    miss = exact.replace("compute", "computed")
    asked = {
        "exact": Case("exact", "", "lf", data, exact, exact.replace("step", "stop"), None),
        "miss": Case("miss", "", "lf", data, miss, miss.replace("step", "stop"), None),
    }
    slow = 0.0
    for kind, case in asked.items():
        times: dict[str, list[float]] = {name: [] for name in matchers}
        for _ in range(15):
            for name, ask in matchers.items():
                times[name].append(ask(case)[1])
        print(f"10,000 lines, {kind:6}" + "".join(f"  {n}: {min(t):.2f} ms" for n, t in times.items()))
        slow = min(times["ours"])
    return slow


def main(each: int, seed: int) -> int:
    """Prints everything; 1 if a goal is missed."""
    every = list(cases(seed, each))
    print(f"seed {seed}: {len(every)} cases, {dict(Counter(c.suffix for c in every))}")
    print(dict(Counter(c.form for c in every)))
    with aider() as other:
        matchers: dict[str, Matcher] = {"ours": ours, "replace": plain_replace} | ({"aider": other} if other else {})
        totals = table(every, matchers)
        for name, counts in totals.items():
            print(f"TOTAL {name:8} {_words(counts)}")
        share = placed(every)
        slow = speed(matchers)
    mine = totals["ours"]
    applied = mine["right"] / max(1, mine["right"] + mine["loose"] + mine["wrong"] + mine["refused"])
    goals = {
        "nothing wrong": mine["wrong"] + mine["loose"] + mine["APPLIED"] == 0,
        f"applied {applied:.1%}": applied >= APPLIED,
        f"placed {share:.1%}": share >= PLACED,
        f"miss {slow:.1f} ms": slow <= MISS_MS,
    }
    print("; ".join(f"{name}: {'yes' if held else 'NO'}" for name, held in goals.items()))
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(given[0] if given else 120, given[1] if len(given) > 1 else 20261130))
