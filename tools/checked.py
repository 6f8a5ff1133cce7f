"""The results that docs/checks.md and docs/validation.md show: stores them in docs/results.

Their tables are written when the docs are built.

    tools/checked.py verify            runs `penstock verify` (some ten minutes of processor time)
    tools/checked.py validation [THEORY ...]
                                       runs its lines about byte streams and rates only (some minutes). Theories that
                                       are named replace their own lines alone; all of these must be exact
    tools/checked.py coverage          measures how often intervals contain the true value (some minutes)
    tools/checked.py claims DIR [--seeds N] [STUDY ...]
                                       judges the stored runs of the full studies in DIR/STUDY; runs what is missing.
                                       Studies that are named replace their own verdicts alone
    tools/checked.py counts            writes the counts of all of them on top of docs/validation.md

Each file says which commit it is of, and when it was made; `apart` does so for the studies that were named.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
VALIDATION = ROOT / "docs" / "validation.md"
COUNTED = "<!-- The counts above: tools/checked.py counts -->\n"
ROW = re.compile(r"\b[A-Z]{1,2}\d+b?\b")
"""The number of a row of validation, such as M4 or A8b."""
UNEXPLAINED = "The reason is not known."
VERDICTS = ("reproduced", "partly", "not reproduced", "too few replications", "by construction", "not run")


def verify() -> dict[str, Any]:
    """All lines of `penstock verify`."""
    from penstock.api.run import available_cores
    from penstock.show.verify import to_json
    from penstock.verify import verify

    return to_json(verify(jobs=available_cores()))


def validation(*theories: str) -> dict[str, Any]:
    """The lines of `penstock verify` about byte streams, judged together, or the exact ones of the theories named."""
    from penstock.api.run import available_cores
    from penstock.show.verify import to_json
    from penstock.verify import streams, verify

    wanted = [check for check in streams.checks() if not theories or check.theory in theories]
    found = to_json(verify(wanted=wanted, jobs=available_cores()))
    return with_theories(found, theories, list(streams.SOURCES)) if theories else found


def with_theories(found: Mapping[str, Any], theories: Sequence[str], order: Sequence[str]) -> dict[str, Any]:
    """The stored lines, with those of some theories in place of their own; theories come in this order."""
    random = sorted({line["theory"] for line in found["lines"] if line["kind"] != "exact"})
    if random:
        sys.exit(f"{', '.join(random)}: random lines are judged together: run all of them")
    stored: dict[str, Any] = json.loads((RESULTS / "validation.json").read_text(encoding="utf-8"))
    kept = [line for line in stored["lines"] if line["theory"] not in theories]
    lines = sorted([*kept, *found["lines"]], key=lambda line: order.index(line["theory"]))
    return stored | {"lines": lines, "apart": stored.get("apart", {}) | {name: dated() for name in theories}}


def coverage() -> dict[str, Any]:
    """The coverage of intervals, as the tests measure it."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_statistics_coverage import CASES, SIZES, covered

    return {"replications": list(SIZES), "rows": [covered(case) for case in CASES]}


def claims(directory: str, *given: str) -> dict[str, Any]:
    """The verdict of every claim of the studies named, or of every study, from their full runs or those of N seeds."""
    from penstock import studies
    from penstock.api.run import available_cores

    seeds, names = (int(given[1]), given[2:]) if given[:1] == ("--seeds",) else (studies.FULL_SEEDS, given)
    found = {}
    for name in names or studies.STUDIES:
        out = Path(directory) / name
        results = studies.carry_out(name, seeds=seeds, jobs=available_cores(), out=out, resume=True)
        study = studies.open_study(name, None, seeds)
        study.read(results)
        found[name] = {finding.id: finding.verdict for finding in study.findings()}
    return merged(found, seeds) if names else {"seeds": seeds, "verdicts": found}


def merged(verdicts: Mapping[str, Mapping[str, str]], seeds: int) -> dict[str, Any]:
    """The stored verdicts, with those of some studies in place of their own."""
    stored: dict[str, Any] = json.loads((RESULTS / "claims.json").read_text(encoding="utf-8"))
    apart = {name: {"seeds": seeds} | dated() for name in verdicts}
    return stored | {
        "verdicts": stored["verdicts"] | verdicts,
        "apart": stored.get("apart", {}) | apart,
    }


def store(kind: str, *arguments: str) -> None:
    """Makes one of the results and stores it."""
    found = KINDS[kind][0](*arguments)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{kind}.json").write_text(json.dumps(dated() | found, indent=1) + "\n", encoding="utf-8")


def dated() -> dict[str, str]:
    """Which commit a result is of, and when it was made."""
    return {"commit": commit(), "made": datetime.now(UTC).strftime("%Y-%m-%d")}


def commit() -> str:
    """The commit of the tree, with a mark if it was changed since."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=7"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def write(folder: Path) -> None:
    """Writes the tables into `folder`, for `docs/checks.md` and `docs/validation.md` to include."""
    for kind, (_, table) in KINDS.items():
        found = json.loads((RESULTS / f"{kind}.json").read_text(encoding="utf-8"))
        (folder / f"checked-{kind}.md").write_text(f"{table(found)}\n{basis(found)}\n", encoding="utf-8")


def basis(found: Mapping[str, Any]) -> str:
    """Which commit the results are of, and when they were made."""
    told = f"\nMade on {found['made']} from commit `{found['commit']}`"
    apart = (f"{name} on {each['made']} from `{each['commit']}`" for name, each in found.get("apart", {}).items())
    return "; ".join([told, *apart]) + ".\n"


def verify_table(found: Mapping[str, Any]) -> str:
    """A table for each theory, below the number of lines with each verdict."""
    from penstock.show.verify import by_theory, row
    from penstock.verify import Judged

    lines = [Judged(**line) for line in found["lines"]]
    counts = Counter(line.verdict for line in lines)
    command = "penstock verify --quick" if found["quick"] else "penstock verify"
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    parts = [f"`{command}`, seed {found['seed']}, {found['events']:.2g} PDUs at nodes; {len(lines)} lines: {told}."]
    for theory, own in by_theory(lines).items():
        rows = [row(line).values() for line in own]
        heads = ("setting", "quantity", "truth", "measured", "interval", "verdict")
        parts.append(f"**{theory}**\n\n{grid(heads, rows)}")
    return "\n\n".join(parts)


def validation_table(found: Mapping[str, Any]) -> str:
    """A table of all lines by their rows, and the reasons of those that do not hold."""
    from penstock.show.verify import row
    from penstock.verify import Judged
    from penstock.verify.streams import REASONS, SOURCES

    lines = [Judged(**line) for line in found["lines"]]
    rows = []
    for line in lines:
        number, source = SOURCES[line.theory]
        told = row(line)
        what = f"{line.theory}, {line.setting}: {line.quantity}"
        rows.append((number, what, source, *(told[key] for key in ("truth", "measured", "interval", "verdict"))))
    heads = ("row", "what", "source", "expected", "measured", "interval", "verdict")
    reasons = [
        f"- **{line.verdict}**: {line.theory}, {line.setting}: {line.quantity}. {REASONS.get(line.theory, UNEXPLAINED)}"
        for line in lines
        if line.verdict != "holds"
    ]
    return "\n".join([grid(heads, rows), "", *(reasons or ["All lines hold."])])


class Counts(NamedTuple):
    """Rows with each kind of verdict: ``open`` are not run, too few to tell, or true by construction."""

    met: int = 0
    red: int = 0
    part: int = 0
    open: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[str]) -> Counts:
        """The counts of some verdicts of `penstock verify` and of studies."""
        names = {"holds": "met", "reproduced": "met", "fails": "red", "not reproduced": "red", "partly": "part"}
        counts = Counter(names.get(verdict, "open") for verdict in verdicts)
        return cls(**counts)


def rows_of_page(page: str) -> Counts:
    """The rows of the tables of docs/validation.md: exact ones, those that are not met, and those that are not run."""
    found = {}
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        found[title] = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")][1:]
    numbers = {title: sum(len(ROW.findall(cell)) for cell in cells) for title, cells in found.items()}
    return Counts(numbers["Exact"], len(found["Not met"]), 0, numbers["Not run"])


def counted(page: str) -> str:
    """The counts on top of docs/validation.md: one line, and a table of where they are from."""
    from penstock.verify.streams import SOURCES

    stored = {kind: json.loads((RESULTS / f"{kind}.json").read_text(encoding="utf-8")) for kind in KINDS}
    claims_of = [verdict for own in stored["claims"]["verdicts"].values() for verdict in own.values()]
    parts = {
        "Byte streams and rates, measured by `penstock verify`: [below](#measured)": Counts.of(
            line["verdict"] for line in stored["validation"]["lines"]
        ),
        "Byte streams and rates, row by row: [exact](#exact), [not met](#not-met), [not run](#not-run)": rows_of_page(
            page
        ),
        "All other theory, measured by `penstock verify`: [how it is checked](checks.md)": Counts.of(
            line["verdict"] for line in stored["verify"]["lines"] if line["theory"] not in SOURCES
        ),
        "Claims of the published studies: [their verdicts](checks.md#against-the-papers)": Counts.of(claims_of),
    }
    whole = Counts(*map(sum, zip(*parts.values(), strict=True)))
    heads = ("what", "met", "red", "in part", "open")
    told = f"**{whole.met} rows are met, {whole.red} are red, {whole.part} hold in part, {whole.open} are open.** "
    told += "Open rows are not run, have too few replications, or hold by construction."
    return f"{told}\n\n{grid(heads, [(name, *own) for name, own in parts.items()])}"


def count() -> None:
    """Writes the counts into docs/validation.md, between its title and its first marker."""
    page = VALIDATION.read_text(encoding="utf-8")
    title, _, rest = page.partition("\n\n")
    _, _, text = rest.partition(COUNTED)
    VALIDATION.write_text(f"{title}\n\n{counted(page)}\n\n{COUNTED}{text}", encoding="utf-8")


def coverage_table(found: Mapping[str, Any]) -> str:
    """One line for each quantity; Student's interval in parentheses."""
    first, *rest = found["replications"]
    heads = ("quantity", f"{first} replications", *map(str, rest))
    rows = [
        (each["quantity"], *(f"{own} % ({other})" for own, other in zip(each["covered"], each["student"], strict=True)))
        for each in found["rows"]
    ]
    return grid(heads, rows)


def claims_table(found: Mapping[str, Any]) -> str:
    """One line for each study: how many claims have each verdict."""
    rows = []
    for study, verdicts in found["verdicts"].items():
        counts = Counter(verdicts.values())
        seeds = found.get("apart", {}).get(study, found)["seeds"]
        counted = (counts[verdict] for verdict in VERDICTS)
        rows.append((f"[{study}](studies/{study}.md)", seeds, len(verdicts), *counted))
    return grid(("study", "seeds", "claims", *VERDICTS), rows)


def grid(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


KINDS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[Mapping[str, Any]], str]]] = {
    "verify": (verify, verify_table),
    "validation": (validation, validation_table),
    "coverage": (coverage, coverage_table),
    "claims": (claims, claims_table),
}
"""What makes each result, and its table."""

if __name__ == "__main__":
    if sys.argv[1:] == ["counts"]:
        sys.exit(count())
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    store(*sys.argv[1:])
