#!/usr/bin/env python3
"""No link is dead in the Markdown files, nor in the HTML that doxygen makes of them; README.md is short and the pictures
are small.

    test_links.py ROOT             all Markdown files of the tree
    test_links.py ROOT --html DIR  run doxygen, without a warning, with output below DIR, and check its pages

SPDX-License-Identifier: BSD-3-Clause"""

import html.parser
import pathlib
import re
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/doxygen"))

from pages import anchors, links

README_LINES = 150
PICTURES_BYTES = 600 * 1024
# Doxygen links its pages to sections of undocumented or private members, which it leaves out.
OMITTED = re.compile(r"[a-z]+(-[a-z]+)*-(classes|members|methods|attribs|types)")


def is_external(target):
    return urllib.parse.urlsplit(target).scheme != "" or target.startswith("//")


def markdown_files(root):
    return [file for file in sorted(root.rglob("*.md"))
            if not any(part == "build" or part.startswith(".") for part in file.relative_to(root).parts[:-1])]


def wrong_links(root):
    """A line for each dead link."""
    known = {file.resolve(): anchors(file.read_text(encoding="utf-8")) for file in markdown_files(root)}
    for file in markdown_files(root):
        for line, target in links(file.read_text(encoding="utf-8")):
            if is_external(target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            place = (file.parent / path).resolve() if path else file.resolve()
            if not place.exists():
                yield f"{file.relative_to(root)}:{line}: {target} does not exist"
            elif root.resolve() not in (place, *place.parents):
                yield f"{file.relative_to(root)}:{line}: {target} is outside of the tree"
            elif anchor and place.suffix == ".md" and anchor not in known.get(place, ()):
                yield f"{file.relative_to(root)}:{line}: {target}: no such heading"


def wrong_sizes(root):
    lines = (root / "README.md").read_text(encoding="utf-8").count("\n")
    if lines > README_LINES:
        yield f"README.md has {lines} lines, at most {README_LINES}"
    size = sum(file.stat().st_size for file in (root / "docs/pictures").glob("*"))
    if size > PICTURES_BYTES:
        yield f"docs/pictures has {size} bytes, at most {PICTURES_BYTES}"


class Page(html.parser.HTMLParser):
    """The anchors and the links of a page in HTML."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, _, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append((self.getpos()[0], value))


def wrong_html(folder):
    """A line for each dead link in the pages of a folder."""
    pages = {file.resolve(): Page(file) for file in sorted(folder.glob("*.html"))}
    if not pages:
        yield f"{folder} has no pages"
    for file, page in pages.items():
        for line, target in page.links:
            if is_external(target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            place = (folder / path).resolve() if path else file
            if not place.is_file():
                yield f"{file.name}:{line}: {target} does not exist"
            elif anchor and place in pages and anchor not in pages[place].anchors and not OMITTED.fullmatch(anchor):
                yield f"{file.name}:{line}: {target}: no such anchor"


def run_doxygen(root, output):
    """Its warnings are errors (docs/Doxyfile)."""
    output.mkdir(parents=True, exist_ok=True)
    settings = f"@INCLUDE = docs/Doxyfile\nOUTPUT_DIRECTORY = {output}\n"
    subprocess.run(["doxygen", "-"], input=settings, cwd=root, encoding="utf-8", check=True)
    return output / "html"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2:3] == ["--html"]:
        wrong = list(wrong_html(run_doxygen(root, pathlib.Path(sys.argv[3]).resolve())))
    else:
        wrong = list(wrong_links(root)) + list(wrong_sizes(root))
    print("\n".join(wrong) or "all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
