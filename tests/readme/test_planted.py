#!/usr/bin/env python3
"""The tests of the pages see what is planted: dead links, programs that are wrong, commands that name what does not
exist, a README.md and pictures that are too large.

    CC=cc test_planted.py

SPDX-License-Identifier: BSD-3-Clause"""

import os
import pathlib
import tempfile
import unittest

import test_blocks  # first: it finds pages.py
import test_links
from pages import blocks

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = '#include <stdio.h>\nint main(void) { return printf("4\\n") < 0; }\n'

# A page, and a word of what must be reported; nothing where all is right
BLOCKS = (
    (f"```c\n{GOOD}```\n", ""),
    (f"```c\n{GOOD}```\n\nIt prints\n\n```text\n4\n```\n", ""),
    (f"```c\n{GOOD}```\n\n```text\n5\n```\n", "the page says"),
    (f"```c\n{GOOD}```\n\n## Another section\n\n```text\n5\n```\n", ""),
    ("```c\nint main(void) { return 0 }\n```\n", "expected"),
    ("```c\nint main(void) { int unused; return 0; }\n```\n", "unused"),
    ("```c\nint main(void) { return 3; }\n```\n", "exit status 3"),
    ("```c\nint two(void) { return 2; }\n```\n", ""),
    ("```c\nint two(void) { return 2 }\n```\n", "expected"),
    ("```c fragment\nreturn 0\n```\n", ""),
    ("```c fragmet\nreturn 0\n```\n", "unknown mark"),
    ("```klingon\nQapla'\n```\n", "unknown language"),
    ("```\nno language\n```\n", "unknown language"),
    ("```sh\n./quickstart demo picture.png\n```\n", ""),
    ("```sh\n./quickstart demos\n```\n", "no command demos"),
    ("```sh\n./quickstart --helps demo\n```\n", "no command --helps"),
    ("```sh\ncmake --preset release -DXBATCH_CUDA=OFF\n```\n", ""),
    ("```sh\ncmake --preset releases\n```\n", "no preset releases"),
    ("```sh\ncmake --preset release -DXBATCH_CUDAS=OFF\n```\n", "XBATCH_CUDAS"),
    ("```sh\ncmake --build build --target denoises\n```\n", "no CMakeLists.txt has the target denoises"),
    ("```sh\ncat examples/denoise.f\n```\n", "does not exist"),
    ("```sh\nbuild/release/examples/denoises\n```\n", "is not built"),
    ("```sh\nif true\n```\n", "syntax error"),
    ("```sh run\nfalse\n```\n", "exit status 1"),
    ("```text file=number\n4\n```\n\n```sh run\ngrep 4 number\n```\n", ""),
)

# Texts of README.md and docs/page.md, and a word of what must be reported
LINKS = (
    ("# A\n[page](docs/page.md#a-title)\n", "# A title\n[back](../README.md#a)\n[a picture](p.png)\n", ""),
    ("[page](docs/pages.md)\n", "", "docs/pages.md does not exist"),
    ("[page](docs/page.md#another)\n", "# A title\n", "no such heading"),
    ("[![picture](q.png)](docs/page.md)\n", "", "q.png does not exist"),
    ("[![picture](docs/p.png)](docs/pages.md)\n", "", "docs/pages.md does not exist"),
    ("", "[outside](../../x)\n", "does not exist"),
    ("`[code](nowhere)`\n```text\n[block](nowhere)\n```\n", "", ""),
)


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def expect(self, word, reported):
        if word:
            self.assertIn(word, reported)
        else:
            self.assertEqual(reported, "")

    def test_blocks(self):
        commands = test_blocks.Commands(ROOT)
        os.environ.update(CC=os.environ.get("CC", "cc") + " -Wall -Werror", LIBS="", PREFIX=str(self.root))
        for text, word in BLOCKS:
            with self.subTest(page=text):
                reported = ""
                for block in blocks("page", text):
                    try:
                        test_blocks.test_block(block, self.root, commands)
                    except test_blocks.Failure as failure:
                        reported += str(failure)
                self.expect(word, reported)

    def test_links(self):
        (self.root / "docs").mkdir()
        (self.root / "docs/p.png").touch()
        for readme, page, word in LINKS:
            with self.subTest(readme=readme, page=page):
                (self.root / "README.md").write_text(readme, encoding="utf-8")
                (self.root / "docs/page.md").write_text(page, encoding="utf-8")
                self.expect(word, "\n".join(test_links.wrong_links(self.root)))

    def test_sizes(self):
        (self.root / "docs/pictures").mkdir(parents=True)
        for lines, size, word in ((150, 600 * 1024, ""), (151, 0, "151 lines"), (0, 600 * 1024 + 1, "docs/pictures")):
            (self.root / "README.md").write_text("\n" * lines, encoding="utf-8")
            (self.root / "docs/pictures/p.png").write_bytes(bytes(size))
            self.expect(word, "\n".join(test_links.wrong_sizes(self.root)))

    def test_html(self):
        self.expect("no pages", "\n".join(test_links.wrong_html(self.root)))
        (self.root / "b.html").write_text('<p id="there">', encoding="utf-8")
        for target, word in (("b.html#there", ""), ("b.html#here", "no such anchor"), ("c.html", "does not exist")):
            (self.root / "a.html").write_text(f'<a href="{target}">', encoding="utf-8")
            self.expect(word, "\n".join(test_links.wrong_html(self.root)))


if __name__ == "__main__":
    unittest.main()
