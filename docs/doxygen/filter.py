#!/usr/bin/env python3
"""What doxygen reads in place of a file: Markdown with references that doxygen can resolve, because it does not know
GitHub's anchors nor files that it does not read; headers with a group each and one-line summaries, from the table of
routines.

    filter.py FILE    in the root of the tree; writes to standard output

SPDX-License-Identifier: BSD-3-Clause"""

import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs/doxygen"), str(ROOT / "src/api")]
sys.dont_write_bytecode = True

import routines  # noqa: E402
from model import LETTERS, TYPE_IN_WORDS  # noqa: E402
from pages import FENCE, HEADING, Anchors  # noqa: E402

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md")  # INPUT of docs/Doxyfile
LANGUAGES = {"c": "c", "cpp": "cpp", "cuda": "cpp"}  # that doxygen colours; it would change the case of Fortran


def label(path, anchor=""):
    """The doxygen label of a page or of a heading of it."""
    page = "index" if path == "README.md" else "page_" + re.sub(r"\W", "_", path)
    return page + ("_" + re.sub(r"\W", "_", anchor) if anchor else "")


def reference(page, text, target):
    """A link of a page, as doxygen understands it."""
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    if urllib.parse.urlsplit(target).scheme:
        return f"[{text}]({target})"
    place = (page.parent / path).resolve() if path else page
    name = place.relative_to(ROOT).as_posix()
    if any(place.match(str(ROOT / pattern)) for pattern in PAGES):
        return f'@ref {label(name, anchor)} "{text}"'
    if name.startswith("include/") and place.is_file():
        return f'@ref {place.name} "{text}"'
    return text if name in text else f"{text} (`{name}`)"


def markdown(file):
    page, anchors = file.relative_to(ROOT).as_posix(), Anchors()

    def heading(match):
        is_title, anchor = match[0].startswith("# "), anchors.next(match[1])
        if is_title and page == "README.md":
            return match[0]
        return f"{match[0]} {{#{label(page, '' if is_title else anchor)}}}"

    def prose(text):
        text = re.sub(r"\[(!\[[^\]]*\]\([^)]*\))\]\([^)]*\)", r"\1", text)  # no picture is a link
        text = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", lambda match: f"![{match[1]}]({pathlib.Path(match[2]).name})", text)
        text = re.sub(r"(?<!!)\[((?:`[^`]*`|[^\[\]])+)\]\(([^()\s]+)\)",
                      lambda match: reference(file, match[1], match[2]), text)
        return HEADING.sub(heading, text)

    text, parts, end = file.read_text(encoding="utf-8"), [], 0
    for match in FENCE.finditer(text):
        indent, language, _, body = match.groups()
        parts += [prose(text[end:match.start()]), f"{indent}```{LANGUAGES.get(language, '')}\n{body}{indent}```"]
        end = match.end()
    return "".join(parts) + prose(text[end:])


def header(file):
    text = file.read_text(encoding="utf-8")
    found = next((row for row in routines.HEADERS if row.name == file.name), None)
    if not found:
        return text
    begin, end = 'extern "C" {\n#endif\n', "#ifdef __cplusplus\n}\n"
    group = f"/** @defgroup group_{found.stem} {found.group}\n * @{{ */\n"
    text = text.replace(begin, begin + group, 1)
    text = text[:text.rindex(end)] + "/** @} */\n" + text[text.rindex(end):]
    for routine in found.routines:
        summary = routine.summary[0].upper() + routine.summary[1:]
        declared = re.search(rf"\n\w+ {routine.form('x')}\(", text).start()
        comment = text.rindex("/** ", 0, declared) + len("/** ")
        text = f"{text[:comment]}@brief {summary}.\n *\n * {text[comment:]}"
        for letter in LETTERS:
            text = text.replace(f"/** {routine.form('x')} for {TYPE_IN_WORDS[letter]}. */",
                                f"/** {summary}: {routine.form('x')}() for {TYPE_IN_WORDS[letter]}. */")
    return text


def main():
    file = pathlib.Path(sys.argv[1]).resolve()
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(markdown(file) if file.suffix == ".md" else header(file))


if __name__ == "__main__":
    main()
