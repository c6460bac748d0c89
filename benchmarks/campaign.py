"""The campaign: commands killed and refused by the disk, inputs fuzzed, folders damaged, outputs shared; what was lost.

python benchmarks/campaign.py                 # all of it: about half an hour on an idle core
python benchmarks/campaign.py --share 0.01    # a hundredth, for a look
python benchmarks/campaign.py --table         # the table of what is in results/campaign, also in docs/robustness.md

Commands run on tiny models, in forked processes of one warm interpreter; kills are SIGKILL. What stood there before
(an older output) must be there after a fault, whole, or the new one must; and the same command given again must end
with the bytes of a run that nothing happened to. Rows that are done are kept in the folder, so the campaign resumes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import damaged_folders
import faults
import fuzz
from faults import FULL, KILL, LIMIT, REFUSED, Ended, Fault, digest

RESULTS = Path("results/campaign")
PAGE, START, END = Path("docs/robustness.md"), "<!-- campaign -->", "<!-- end of campaign -->"
TOTALS = {
    "all kills": ": killed at",
    "all refusals of the disk": "at a step",
    "all files that may not grow": "beyond a size",
    "all signals": "SIGTERM",
    "all outputs that two runs shared": "two runs",
    "all fuzzed inputs": "fuzzed",
    "all damaged folders": "damaged",
}
DATA = "planted:easy,train=40,dev=10,test=10"
QUICK = ("--device", "cpu", "--threads", "1", "-q", "--no-baseline", "--no-contributions")
TRAIN = ("train", DATA, *QUICK)
SMALL = ("--no-rationales", "--encoder", "bag", "--set", "encoder.dim=8", "--epochs", "2")
GRID = ("--encoders", "bag", "--seeds", "1", "--epochs", "1", "--no-contributions", "--sample", "2", "--workers", "1")
TABLE = (
    "--scale",
    "smoke",
    "--table",
    "4",
    "--datasets",
    "planted:train=30,dev=10,test=10",
    "--seeds",
    "1",
    "--workers",
    "1",
    "-q",
)
FINE = (0, 2, -signal.SIGKILL, 130, 143)  # how a command may end when something is done to it


@dataclass(frozen=True)
class Case:
    """A command, and what stood in the place of its output before."""

    name: str
    words: tuple[object, ...]
    output: str
    before: tuple[object, ...] | None = None  # the command that made the older output
    resumes: bool = False  # with --resume, once there is something to resume

    def again(self, folder: Path) -> tuple[object, ...]:
        """Give the command that continues."""
        begun = (folder / f"{self.output}.training" / "run.json").exists() or (folder / f"{self.output}.rows").exists()
        return (*self.words, "--resume") if self.resumes and begun else self.words


def _training(name: str, *words: str) -> Case:
    command = (*TRAIN, *words, "-o", "m", "--overwrite")
    return Case(name, command, "m", (*TRAIN, *SMALL, "--seed", "9", "-o", "m"), resumes=True)


STREAM = ("train", "labelled.csv", *QUICK, *SMALL, "--stream", "-o", "m", "--overwrite")
EXPLAIN = ("explain", "model", "texts.csv", "-q", "--device", "cpu", "--explainer", "occlusion", "-o")
CASES = {
    case.name: case
    for case in (
        _training("train", *SMALL, "--method", "attention"),
        _training("train vat", *SMALL, "--method", "vat", "--set", "method.iterations=1"),
        _training("train evarm", *SMALL, "--method", "evarm"),
        _training("train word-regularized", *SMALL, "--method", "word-regularized"),
        Case("train --stream", STREAM, "m", (*TRAIN, *SMALL, "--seed", "9", "-o", "m"), resumes=True),
        Case(
            "explain", (*EXPLAIN, "out.jsonl"), "out.jsonl", ("predict", "model", "texts.csv", "-q", "-o", "out.jsonl")
        ),
        Case("predict", ("predict", "model", "texts.csv", "-q", "-o", "parts", "--part-size", "10"), "parts"),
        Case("compare", ("compare", DATA, "--methods", "base,attention", *GRID, "-q", "-o", "grid"), "grid"),
        Case("reproduce", ("reproduce", "evarm", *TABLE, "-o", "paper"), "paper"),
        Case(
            "learn-explainer",
            ("learn-explainer", "model", "texts.csv", "-q", "--set", "steps=3", "--set", "epochs=1", "-o", "e"),
            "e",
            (*TRAIN, *SMALL, "--seed", "9", "-o", "e"),
        ),
    )
}


@dataclass
class Row:
    """How often something was tried, and what was lost."""

    name: str
    wanted: int
    tried: int = 0
    survived: int = 0
    lost: list[str] = field(default_factory=list)

    def add(self, problem: str | None) -> None:
        """Count a case; a problem is a sentence that says what was lost."""
        self.tried += 1
        if problem is None:
            self.survived += 1
        else:
            self.lost.append(problem)
            print(f"LOST  {self.name}: {problem}", flush=True)


class Workshop:
    """Folders in which commands are disturbed, each with what the commands read and what stood there before."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.place = scratch / "work"
        self.warm = scratch / "warm"
        self.warm.mkdir()
        texts = [f"the plot was {word} and the cast {word} too, number {n}" for n in range(8) for word in WORDS]
        (self.warm / "texts.csv").write_text("text\n" + "".join(f'"{text}"\n' for text in texts), "utf-8")
        rows = [f'"{text}",{"bad" if "dreadful" in text or "dull" in text else "good"}\n' for text in texts]
        (self.warm / "labelled.csv").write_text("text,label\n" + "".join(rows), "utf-8")
        self._warm_up()
        self.undisturbed: dict[str, tuple[str | None, str, Ended, float]] = {}

    def _warm_up(self) -> None:
        """Import in this process what commands import, and make the model that some of them read."""
        from whyword.cli.app import main
        from whyword.data import store, token_store
        from whyword.models import train

        train.CHECKPOINT_SECONDS = 0.0  # a checkpoint after every step of training, so that there are many to lose
        store.BLOCK = token_store.TOGETHER = 4  # likewise
        here = Path.cwd()
        os.chdir(self.warm)
        for words in ((*TRAIN, *SMALL, "-o", "model"), (*EXPLAIN, "warm.jsonl")):
            sys.argv = ["whyword", *map(str, words)]
            try:
                main()
            except SystemExit as left:
                assert left.code == 0, words  # noqa: PT017
        (self.warm / "warm.jsonl").unlink()
        os.chdir(here)

    def fresh(self, case: Case) -> Path:
        """Give a folder with what a case begins with."""
        template = self.scratch / f"before-{case.name}"
        if not template.exists():
            shutil.copytree(self.warm, template)
            if case.before is not None:
                assert (ended := faults.run(case.before, template)).code == 0, ended
        shutil.rmtree(self.place, ignore_errors=True)
        return shutil.copytree(template, self.place)

    def whole(self, case: Case) -> tuple[str | None, str, Ended, float]:
        """Give the digests of the output before and after a run that nothing happens to, how it ended and how long."""
        if case.name not in self.undisturbed:
            folder = self.fresh(case)
            before = digest(folder / case.output)
            started = time.monotonic()
            ended = faults.run(case.words, folder)
            after = digest(folder / case.output)
            assert ended.code == 0, ended
            assert after is not None
            self.undisturbed[case.name] = before, after, ended, time.monotonic() - started
        return self.undisturbed[case.name]

    def problem(self, case: Case, folder: Path, ended: Ended, in_one_piece: bool) -> str | None:
        """Say what is wrong after a fault."""
        before, after, _, _ = self.whole(case)
        if ended.code not in FINE or "Traceback" in ended.err:
            return f"ended with {ended.code}: {ended.err[-300:]}"
        if ended.code == 2 and ended.err.strip().count("\n"):
            return f"more than one sentence: {ended.err[-300:]}"
        if ended.code == 0 and digest(folder / case.output) != after:
            return "ended with 0 and another output"
        if in_one_piece and digest(folder / case.output) not in (before, after):
            return f"neither the old output nor the new one (code {ended.code})"
        return None

    def finish(self, case: Case, folder: Path) -> str | None:
        """Give the command again, and say what is wrong with its end."""
        ended = faults.run(case.again(folder), folder)
        if ended.code:
            return f"given again, it ended with {ended.code}: {ended.err[-300:]}"
        if digest(folder / case.output) != self.whole(case)[1]:
            return "given again, it wrote something else"
        left = [
            path.name for path in folder.iterdir() if path.name.endswith((".new", ".old", ".lock", ".part", ".rows"))
        ]
        return f"it left {left}" if left else None


WORDS = ("superb", "dreadful", "moving", "dull", "fresh")
AT_ONCE = 200  # fuzzed inputs, after which the count is kept
INPUTS = {
    "texts through tfidf": 9_000,
    "texts through lstm": 5_000,
    "texts through minilm": 2_000,
    "texts explained on lstm": 1_500,
    "texts explained on minilm": 500,
    "files written and read": 1_200,
    "files of random rows": 800,
}
IN_PLACE = ("predict", "compare", "reproduce")  # folders that fill up; their files are whole


def kill_at_random(shop: Workshop, row: Row, case: Case, save: Callable[[], None]) -> None:
    """Kill a command after random times, again and again, until it comes to its end."""
    folder = shop.fresh(case)
    length = shop.whole(case)[3]
    number = 0
    while row.tried < row.wanted:
        chance = random.Random(f"{row.name} {row.tried} {number}")
        number += 1
        for name in (faults.OUT, faults.ERR, faults.STEPS):
            Path(f"{folder}.{name}").write_text("")
        process = faults.start(case.again(folder), folder)
        ended = faults.wait(process, folder, chance.uniform(0, 1.1 * length))
        if ended.code == -signal.SIGKILL:
            row.add(shop.problem(case, folder, ended, case.name not in IN_PLACE))
            save()
            if row.tried % 8:
                continue
        problem = shop.finish(case, folder)
        if problem is not None:
            row.lost.append(problem)
            row.survived -= 1
            print(f"LOST  {row.name}: {problem}", flush=True)
        folder = shop.fresh(case)


def fail_at_steps(shop: Workshop, row: Row, case: Case, kind: str, save: Callable[[], None]) -> None:
    """Let each step of a command fail in turn, or so many of them that are drawn."""
    steps = shop.whole(case)[2].steps
    order = list(range(1, steps + 1))
    random.Random(row.name).shuffle(order)
    for number in (order * (row.wanted // steps + 1))[row.tried : row.wanted]:
        folder = shop.fresh(case)
        ended = faults.run(case.words, folder, Fault(kind, number))
        problem = shop.problem(case, folder, ended, case.name not in IN_PLACE) or shop.finish(case, folder)
        row.add(None if problem is None else f"step {number}: {problem}")
        save()


def fill_the_disk(shop: Workshop, row: Row, case: Case, save: Callable[[], None]) -> None:
    """Let no file grow beyond a size that is drawn, as on a full disk, whoever writes it."""
    while row.tried < row.wanted:
        most = int(2 ** random.Random(f"{row.name} {row.tried}").uniform(0, 14))
        folder = shop.fresh(case)
        ended = faults.run(case.words, folder, Fault(LIMIT, most))
        problem = shop.problem(case, folder, ended, case.name not in IN_PLACE) or shop.finish(case, folder)
        row.add(None if problem is None else f"{most} bytes: {problem}")
        save()


def stop_by_signal(shop: Workshop, row: Row, case: Case, save: Callable[[], None]) -> None:
    """Send SIGTERM or Ctrl-C at a random time: nothing is lost, and the exit code says so."""
    length = shop.whole(case)[3]
    number = 0
    while row.tried < row.wanted:
        chance = random.Random(f"{row.name} {row.tried} {number}")
        number += 1
        by, code = ((signal.SIGTERM, 143), (signal.SIGINT, 130))[number % 2]
        folder = shop.fresh(case)
        for name in (faults.OUT, faults.ERR, faults.STEPS):
            Path(f"{folder}.{name}").write_text("")
        ended = faults.wait(faults.start(case.words, folder), folder, chance.uniform(0.1, 1.0) * length, by)
        if ended.code == -by:  # before the command heard of signals
            continue
        problem = shop.problem(case, folder, ended, case.name not in IN_PLACE)
        if ended.code not in (0, code):
            problem = problem or f"ended with {ended.code} instead of {code}"
        row.add(problem or shop.finish(case, folder))
        save()


def share_an_output(shop: Workshop, row: Row, case: Case, save: Callable[[], None]) -> None:
    """Start the same command twice: one does the work, the other is told so or comes later; no row is mixed."""
    while row.tried < row.wanted:
        folder = shop.fresh(case)
        for name in (faults.OUT, faults.ERR, faults.STEPS):
            Path(f"{folder}.{name}").write_text("")
        first, second = (faults.start(case.words, folder) for _ in range(2))
        codes = sorted(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in (first, second))
        errors = Path(f"{folder}.{faults.ERR}").read_text("utf-8")
        problem = None
        if codes not in ([0, 2], [0, 0]) or "Traceback" in errors:
            problem = f"ended with {codes}: {errors[-300:]}"
        elif digest(folder / case.output) != shop.whole(case)[1]:
            problem = f"ended with {codes}, and the output is another"
        elif codes == [0, 2] and "is being written by" not in errors and "is a model already" not in errors:
            problem = f"does not say who has it: {errors[-300:]}"
        row.add(problem)
        save()


def fuzz_inputs(shop: Workshop, row: Row, kind: str, save: Callable[[], None]) -> None:
    """Give inputs that nobody writes on purpose."""
    while row.tried < row.wanted:
        for problem in fuzz.KINDS[kind](range(row.tried, min(row.wanted, row.tried + AT_ONCE))):
            row.add(problem)
        save()


def damage_folders(shop: Workshop, row: Row, save: Callable[[], None]) -> None:
    """Load model folders that were damaged."""
    for _, problem in damaged_folders.damage_folders(range(row.tried, row.wanted)):
        row.add(problem)
    save()


def main() -> None:
    """Run the rows that are not done, and show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="of the counts of each row")
    parser.add_argument("--only", help="rows whose names hold this")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output.resolve() / "rows.json"
    if not options.table:
        with tempfile.TemporaryDirectory() as scratch:
            _run(Path(scratch), file, options.share, options.only)
    print(table(_read(file).values()))
    if options.output == RESULTS:
        write_page(_read(file).values())


def _plan(share: float) -> Iterator[tuple[Row, Callable[..., None], tuple[Any, ...]]]:
    """Name every row, how often it is tried, and by what."""

    def row(name: str, wanted: int) -> Row:
        return Row(name, max(1, round(share * wanted)))

    kills = {"train": 120, "explain": 100, "predict": 80, "compare": 80, "reproduce": 40, "learn-explainer": 80}
    at_steps = {
        "train": 120,
        "train --stream": 120,
        "train vat": 40,
        "train evarm": 40,
        "train word-regularized": 40,
        "explain": 60,
    }
    at_steps |= {"predict": 60, "compare": 60, "reproduce": 20, "learn-explainer": 80}
    for name, count in kills.items():
        yield row(f"{name}: killed at random times", count), kill_at_random, (CASES[name],)
    for name, count in at_steps.items():
        yield row(f"{name}: killed at a file-system step", count), fail_at_steps, (CASES[name], KILL)
    for kind, what in ((FULL, "disk full"), (REFUSED, "no right to write")):
        for name in ("train", "train --stream", "explain", "predict", "compare", "reproduce", "learn-explainer"):
            yield (
                row(f"{name}: {what} at a step", 10 if name == "reproduce" else 25),
                fail_at_steps,
                (CASES[name], kind),
            )
    for name in ("train", "explain", "compare", "learn-explainer"):
        yield row(f"{name}: no file beyond a size", 20), fill_the_disk, (CASES[name],)
    for name in kills:
        yield row(f"{name}: SIGTERM or Ctrl-C", 5 if name == "reproduce" else 15), stop_by_signal, (CASES[name],)
        yield row(f"{name}: two runs, one output", 5 if name == "reproduce" else 10), share_an_output, (CASES[name],)
    yield row("damaged model folders", 500), damage_folders, ()
    for kind, count in INPUTS.items():
        yield row(f"fuzzed: {kind}", count), fuzz_inputs, (kind,)


def _run(scratch: Path, file: Path, share: float, only: str | None) -> None:
    shop = Workshop(scratch)
    for fresh, run, arguments in _plan(share):
        if only is not None and only not in fresh.name:
            continue
        rows = _read(file)
        row = rows.get(fresh.name, fresh)
        row.wanted = fresh.wanted
        if row.tried >= row.wanted:
            continue

        def save(row: Row = row, rows: dict[str, Row] = rows) -> None:
            rows[row.name] = row
            text = json.dumps([vars(each) for each in rows.values()], indent=1)
            Path(f"{file}.new").write_text(text + "\n", "utf-8")
            Path(f"{file}.new").replace(file)

        started = time.monotonic()
        run(shop, row, *arguments, save)
        save()
        print(f"{row.name}: {row.survived} of {row.tried}, {time.monotonic() - started:.0f} s", flush=True)


def _read(file: Path) -> dict[str, Row]:
    return {row["name"]: Row(**row) for row in json.loads(file.read_text("utf-8"))} if file.exists() else {}


def table(rows: Sequence[Row] | Any) -> str:
    """Write the table in Markdown."""
    rows = list(rows)
    groups = {title: [row for row in rows if word in row.name] for title, word in TOTALS.items()}
    lines = ["| what was done | tried | survived | lost |", "|---|--:|--:|--:|"]
    for title, members in groups.items():
        if not members:
            continue
        lines += [_line(row.name, [row]) for row in members]
        lines.append(_line(f"**{title}**", members))
    return "\n".join(lines)


def _line(name: str, rows: Sequence[Row]) -> str:
    tried, survived, lost = (
        sum(counts) for counts in zip(*((r.tried, r.survived, len(r.lost)) for r in rows), strict=True)
    )
    return f"| {name} | {tried:,} | {survived:,} | {lost:,} |"


def write_page(rows: Sequence[Row] | Any) -> None:
    """Put the table into the documentation."""
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    PAGE.write_text(f"{before}{START}\n{table(rows)}\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
