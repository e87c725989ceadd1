#!/usr/bin/python3
"""Puts sections together: page.py [--validate | --bench] FOLDER NAME...

Reads FOLDER/NAME.json of each section and writes FOLDER/index.html, one file with its figures inside. Prints every
check as a PASS or FAIL line; a section that left nothing is a FAIL. Ends with "N passed, M failed".
--validate and --bench are for the pages of `make validate` and `make bench`, whose scripts have printed and counted
their checks themselves.
"""
import base64
import json
import os
import re
import sys
from html import escape

from section import check_line

PAGES = {
    "papers": ("The papers, run again", "Tables and figures of the papers rebuilt from runs of this build, beside what "
               "the papers print. References are numbered as in the validation catalogue (sections 2 to 8; 9.10 and 9.11 "
               "for joints)."),
    "validate": ("Long physics", "What make validate measured with this build, beside closed forms and published values. "
                 "Criteria are those of the validation catalogue (sections 5, 6, 9.13 and 11); docs/granular.md, "
                 "docs/masonry.md and docs/measurements.md say more. Sections without plots are in runs/NAME.log beside this page."),
    "bench": ("Speed", "What make bench measured with this build on this machine: the limits of the machine, the kernels as a share "
              "of them, whole runs with their phases, and other engines on the same scenes. docs/performance.md says more."),
}
FOLDERS = ("papers", "validation", "bench")  # of the scripts, in tests/
PAPERS = {
    "granular": ("Granular media", "Packings, silos, heaps and flows: published values"),
    "energy": ("Energy", "What the ledger of a run says"),
    "2005": ("Renouf, Acary, Dumont 2005", "3D frictional contact and impact multibody dynamics. A comparison of "
             "algorithms suitable for real-time applications; and the slides of the same authors"),
    "2006": ("Renouf, Acary 2006", "Comparison and coupling of algorithms for collisions, contact and friction in rigid "
             "multi-body simulations"),
    "2003": ("Anitescu 2003", "A fixed time-step approach for multibody dynamics with contact and friction"),
    "2002": ("Galizzi, Faure 2002", "Animation efficace de solides en contact par modèle physique"),
    "beyond": ("Beyond the papers", "Joints and free rotation: closed forms and published values"),
    "machine": ("The machine", "What memory and threads allow, and what the kernels make of it"),
    "runs": ("Whole runs", "Times by the clock, phases and memory"),
    "peers": ("Other engines", "Those that Debian has"),
    "none": ("Not there", "Sections that left no result"),
}
STYLE = """
body { font: 15px/1.45 sans-serif; max-width: 62em; margin: 1.5em auto; padding: 0 1em; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { border-bottom: 2px solid #888; margin-top: 2em; }
table { border-collapse: collapse; margin: .6em 0; font-size: 13px; }
th, td { border: 1px solid #bbb; padding: .15em .5em; text-align: right; vertical-align: top; }
th { background: #eee; } td:first-child, th:first-child, table.checks td, table.checks th { text-align: left; }
caption { text-align: left; font-weight: bold; padding: .2em 0; } .wide { overflow-x: auto; }
figure { margin: .8em 0; } figure img, figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 13px; color: #444; } .note { color: #555; font-size: 13px; }
.pass { color: #17692f; font-weight: bold; } .fail { color: #b3261e; font-weight: bold; }
"""


def read_section(folder, name):
    """The section, or in its place a section with one failed check that says what is missing."""
    try:
        with open(os.path.join(folder, name + ".json")) as stream:
            return json.load(stream)
    except (OSError, ValueError):
        tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        here = any(os.path.exists(os.path.join(tests, kind, name + ".py")) for kind in FOLDERS)
        found = "section failed, see runs/%s.log" % name if here else "section missing"
        check = {"reference": name, "expected": "a section", "measured": found, "passed": False}
        return {"title": name, "paper": "none", "items": [{"kind": "check", **check}], "checks": [check]}


def verdict(check):
    return '<span class="%s">%s</span>' % (("pass", "PASS") if check["passed"] else ("fail", "FAIL"))


def check_rows(checks):
    rows = "".join("<tr><td>%s<td>%s<td>%s<td>%s" % (verdict(c), escape(c["reference"]), escape(c["expected"]),
                                                     escape(c["measured"])) for c in checks)
    return ('<div class="wide"><table class="checks"><tr><th>verdict<th>reference<th>expected<th>measured%s</table></div>'
            % rows)


def picture_html(folder, item):
    path = os.path.join(folder, item["file"])
    if not os.path.exists(path):
        return '<p class="fail">%s is missing: %s</p>' % (escape(item["file"]), escape(item["caption"]))
    with open(path, "rb") as stream:
        data = stream.read()
    kind = "svg+xml" if path.endswith(".svg") else "png"
    image = '<img alt="%s" src="data:image/%s;base64,%s">' % (escape(item["caption"], True), kind,
                                                              base64.b64encode(data).decode())
    return "<figure>%s<figcaption>%s</figcaption></figure>" % (image, escape(item["caption"]))


def table_html(item):
    head = "".join("<th>%s" % escape(cell) for cell in item["header"])
    rows = "".join("<tr>%s" % "".join("<td>%s" % escape(cell) for cell in row) for row in item["rows"])
    return '<div class="wide"><table><caption>%s</caption><tr>%s%s</table></div>' % (escape(item["caption"]), head, rows)


def section_html(folder, name, section):
    parts = ['<h3 id="%s">%s</h3>' % (name, escape(section["title"]))]
    for item in section["items"]:
        if item["kind"] == "text":
            html = item["html"]
            parts.append(html if re.match(r"\s*<(p|ul|ol|div|table|h\d)\b", html) else "<p>%s</p>" % html)
        elif item["kind"] == "table":
            parts.append(table_html(item))
        elif item["kind"] == "picture":
            parts.append(picture_html(folder, item))
        elif item["kind"] == "note":
            parts.append('<p class="note">Note: %s</p>' % escape(item["text"]))
    if section["checks"]:
        failed = sum(not check["passed"] for check in section["checks"])
        parts.append("<details%s><summary>%d checks passed, %d failed</summary>%s</details>" % (
            " open" if failed else "", len(section["checks"]) - failed, failed, check_rows(section["checks"])))
    return "\n".join(parts)


def contents_html(groups):
    parts = ["<ul>"]
    for paper, sections in groups:
        parts.append('<li><a href="#paper-%s">%s</a><ul>' % (paper, escape(PAPERS[paper][0])))
        for name, section in sections:
            failed = sum(not check["passed"] for check in section["checks"])
            mark = ' <span class="fail">%d failed</span>' % failed if failed else ""
            parts.append('<li><a href="#%s">%s</a>%s' % (name, escape(section["title"]), mark))
        parts.append("</ul>")
    return "\n".join(parts + ['<li><a href="#checks">All checks</a></ul>'])


def page_html(folder, sections, page):
    groups = [(paper, [(n, s) for n, s in sections.items() if s["paper"] == paper]) for paper in PAPERS]
    groups = [(paper, members) for paper, members in groups if members]
    checks = [check for section in sections.values() for check in section["checks"]]
    passed = sum(check["passed"] for check in checks)
    title, purpose = PAGES[page]
    parts = ['<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>%s</title>' % escape(title),
             "<style>%s</style>" % STYLE, "<h1>%s</h1>" % escape(title),
             "<p>%s%s</p>" % (escape(purpose), " <b>%d passed, %d failed.</b>" % (passed, len(checks) - passed) if checks else ""),
             contents_html(groups)]
    for paper, members in groups:
        name, title = PAPERS[paper]
        parts.append('<h2 id="paper-%s">%s</h2><p><i>%s</i></p>' % (paper, escape(name), escape(title)))
        parts += [section_html(folder, n, s) for n, s in members]
    parts.append('<h2 id="checks">All checks</h2>')
    for _, members in groups:
        for name, section in members:
            if section["checks"]:
                parts.append('<p><a href="#%s">%s</a></p>%s' % (name, escape(section["title"]), check_rows(section["checks"])))
    return "\n".join(parts) + "\n</html>\n", checks


def main():
    page = sys.argv[1][2:] if sys.argv[1:2] in (["--validate"], ["--bench"]) else "papers"
    words = sys.argv[1:] if page == "papers" else sys.argv[2:]
    if len(words) < 2:
        sys.exit(__doc__)
    folder, names = words[0], words[1:]
    html, checks = page_html(folder, {name: read_section(folder, name) for name in names}, page)
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as stream:
        stream.write(html)
    if page != "papers":
        checks = []
    for check in checks:
        print(check_line(check))
    passed = sum(check["passed"] for check in checks)
    print("page: %s" % os.path.join(folder, "index.html"))
    print("%d passed, %d failed" % (passed, len(checks) - passed))
    sys.exit(passed < len(checks))


if __name__ == "__main__":
    main()
