"""What doxygen's filter and the tests of the pages (tests/readme) read from Markdown: fenced blocks, headings and links,
as GitHub renders them.

SPDX-License-Identifier: BSD-3-Clause"""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^( *)```(\S*)([^\n]*)\n(.*?)^\1```[ ]*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)|<(?:a|img)\b[^>]*?(?:href|src)=\"([^\"]+)\"|^\[[^\]]+\]: +(\S+)", re.MULTILINE)


@dataclass
class Block:
    """A fenced block. Behind the language, where readers do not see it, may stand `fragment`: not a whole program;
    `run`: commands to run; `file=NAME`: what these commands find under this name."""
    page: str
    line: int  # of its first line, counted from 1
    language: str
    text: str
    marks: tuple = ()
    output: str = field(default="", compare=False)  # the block of text that follows in the same section

    @property
    def file(self):
        return next((mark[len("file="):] for mark in self.marks if mark.startswith("file=")), "")

    def __str__(self):
        return f"{self.page}:{self.line} ({self.language or 'no language'})"


def blocks(page, text):
    """The fenced blocks of a page."""
    found, end_before = [], 0
    for match in FENCE.finditer(text):
        indent, language, marks, body = match.groups()
        block = Block(page, text.count("\n", 0, match.start(4)) + 1, language,
                      re.sub(f"^{indent}", "", body, flags=re.MULTILINE), tuple(marks.split()))
        if language == "text" and found and not HEADING.search(text, end_before, match.start()):
            found[-1].output = block.text
        found.append(block)
        end_before = match.end()
    return found


def prose(text):
    """The text with blocks and `code` blanked, so that positions hold."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda match: "`" + " " * (len(match[0]) - 2) + "`"
                  if "\n" not in match[0] else blank(match), FENCE.sub(blank, text))


def slug(heading):
    """The anchor that GitHub gives a heading."""
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


class Anchors:
    """The anchors of a page in the order of its headings: the second of the same words has the number 1."""

    def __init__(self):
        self.found = set()

    def next(self, heading):
        name, k = slug(heading), 0
        while (f"{name}-{k}" if k else name) in self.found:
            k += 1
        self.found.add(f"{name}-{k}" if k else name)
        return f"{name}-{k}" if k else name


def anchors(text):
    """All anchors of a page."""
    given = Anchors()
    for match in HEADING.finditer(FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)):
        given.next(match[1])
    return given.found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def links(text):
    """(line, target) of each link and image."""
    for match in LINK.finditer(prose(text)):
        yield text.count("\n", 0, match.start()) + 1, match[1] or match[2] or match[3]
