"""The page that a study ends with: its claims and figures, to be opened in a browser."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from penstock.plot import Sheet
from penstock.studies.claims import Finding, shown

STYLE = """
body { font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 13px; }
th, td { border-bottom: 1px solid #ddd; padding: .35rem .6rem; text-align: left; vertical-align: top; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(32rem, 1fr)); gap: 1.5rem; }
.figures img { width: 100%; }
.reproduced { color: #00664b; font-weight: bold; }
.partly { color: #8a5a00; font-weight: bold; }
.not { color: #a63d00; font-weight: bold; }
"""
HEADINGS = ("claim", "figure", "published", "reproduced", "seeds", "verdict", "note")


def page(
    title: str, sheets: Sequence[Sheet], findings: Sequence[Finding], tables: Sequence[str], complete: bool
) -> str:
    """The page as HTML; its figures and data lie beside it."""
    state = "" if complete else "<p><strong>Incomplete: the runs were interrupted.</strong></p>"
    data = ", ".join(f'<a href="data/{name}.csv">{name}.csv</a>' for name in tables)
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
<h1>{escape(title)}</h1>
{state}
<p>A published study, run again. The verdicts are those of an honest run: nothing was adjusted to meet a claim.
Data: {data} (each also as Parquet); the verdicts as <a href="claims.json">claims.json</a>.</p>
<h2>Claims</h2>
<table>
<tr>{"".join(f"<th>{heading}</th>" for heading in HEADINGS)}</tr>
{"".join(row(finding) for finding in findings)}
</table>
<h2>Figures</h2>
<div class="figures">
{"".join(picture(sheet) for sheet in sheets)}
</div>
</body>
</html>
"""


def row(finding: Finding) -> str:
    """One claim."""
    cells = shown(finding)
    kind = finding.verdict.split()[0]
    texts = [f"<td>{escape(cells[name])}</td>" for name in ("id", "figure", "published", "reproduced", "seeds")]
    texts += [f'<td class="{kind}">{finding.verdict}</td>', f"<td>{escape(finding.note)}</td>"]
    return f"<tr>{''.join(texts)}</tr>\n"


def picture(sheet: Sheet) -> str:
    """One figure."""
    name = escape(sheet.name)
    label = escape(f"{sheet.title}. {sheet.caption}")
    return f'<a href="figures/{name}.png"><img src="figures/{name}.svg" alt="{label}" loading="lazy"></a>\n'
