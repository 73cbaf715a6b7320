"""What denoise must do, seen from outside: the error to the clean picture falls and edges stay, every format comes
through, and bad input ends in a clear message with no output file, not even half of one.
The programs and the shipped picture are named by the environment: DENOISE, MAKE_PICTURE, PICTURE, HAVE_PNG.
SPDX-License-Identifier: BSD-3-Clause"""

import math
import os
import re
import resource
import signal
import unittest
from pathlib import Path

from program_test import InFolder, run

DENOISE = os.environ["DENOISE"]
MAKE_PICTURE = os.environ["MAKE_PICTURE"]
PICTURE = Path(os.environ["PICTURE"])
HAVE_PNG = os.environ["HAVE_PNG"] == "1"
KEEP = ["--steps", "1", "--tau", "1e-9"]  # a step so short that a picture comes out as it went in


def read_raw(path):
    """Width, height and samples, pixel by pixel, of a P5 or P6 file that this project wrote."""
    kind, size, maxval, body = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    if int(maxval) > 255:
        body = [256 * high + low for high, low in zip(body[::2], body[1::2])]
    assert len(body) == width * height * (3 if kind == b"P6" else 1)
    return width, height, list(body)


def psnr(samples, truth, places):
    squares = sum((samples[k] - truth[k]) ** 2 for k in places)
    return 10 * math.log10(255**2 * len(places) / squares)


def near_edges(width, height, truth):
    """Places of all samples that stand one pixel or less from a jump of the clean picture."""
    marked = set()
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            k = 3 * (y * width + x)
            if any(abs(truth[k + r] - truth[k + r + step]) > 40 for r in range(3) for step in (3, 3 * width)):
                marked.update(k + dy * 3 * width + dx + r for dy in (-1, 0, 1) for dx in (-3, 0, 3) for r in range(3))
    return sorted(k for k in marked if 0 <= k < len(truth))


class Denoising(InFolder):
    def denoise(self, *arguments):
        result = run(DENOISE, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result


class Smoothing(Denoising):
    def test_shipped_picture_is_the_one_that_make_picture_draws(self):
        self.assertEqual(run(MAKE_PICTURE, self.path("drawn.ppm")).returncode, 0)
        self.assertEqual(self.path("drawn.ppm").read_bytes(), PICTURE.read_bytes())

    def test_error_falls_and_edges_stay(self):
        clean, smooth, blurred = self.path("clean.ppm"), self.path("smooth.ppm"), self.path("blurred.ppm")
        self.assertEqual(run(MAKE_PICTURE, "--noise", "0", clean).returncode, 0)
        report = self.denoise("--reference", clean, PICTURE, smooth).stdout
        # So large a contrast makes diffusion linear, which removes the noise and the edges.
        self.denoise("--lambda", "1000", "--steps", "1", "--tau", "1", PICTURE, blurred)

        width, height, truth = read_raw(clean)
        before, after, linear = (read_raw(path)[2] for path in (PICTURE, smooth, blurred))
        everywhere, edges = range(len(truth)), near_edges(width, height, truth)
        self.assertGreater(len(edges), len(truth) // 20)
        self.assertGreater(psnr(after, truth, everywhere), psnr(before, truth, everywhere) + 9)
        self.assertGreater(psnr(after, truth, edges), psnr(before, truth, edges) + 2)
        self.assertGreater(psnr(after, truth, edges), psnr(linear, truth, edges) + 2)
        told = [float(number) for number in re.search(r"PSNR +(\S+) dB before, (\S+) dB after", report).groups()]
        self.assertAlmostEqual(told[0], psnr(before, truth, everywhere), delta=0.01)
        self.assertAlmostEqual(told[1], psnr(after, truth, everywhere), delta=0.05)

    def test_mean_is_kept(self):
        self.denoise(PICTURE, self.path("out.ppm"))
        before, after = read_raw(PICTURE)[2], read_raw(self.path("out.ppm"))[2]
        self.assertAlmostEqual(sum(before) / len(before), sum(after) / len(after), delta=0.05)

    def test_two_runs_are_equal(self):
        for name in ("one.ppm", "two.ppm"):
            self.denoise("--backend", "host", "--threads", "2", "--steps", "2", PICTURE, self.path(name))
        self.assertEqual(self.path("one.ppm").read_bytes(), self.path("two.ppm").read_bytes())

    def test_report(self):
        result = self.denoise("--backend", "host", "--threads", "2", "--steps", "3", PICTURE, self.path("out.ppm"))
        width, height, samples = read_raw(PICTURE)
        self.assertIn("backend         host, 2 threads", result.stdout)
        # A step solves all rows and columns of three channels twice: to find the edges, and to diffuse.
        self.assertIn(f" {3 * 2 * 3 * (width + height)} solved, ", result.stdout)
        self.assertIn(f" {3 * 2 * 2 * len(samples)} solved, ", result.stdout)
        self.assertRegex(result.stdout, r"solves +\S+ s of \S+ s")
        error, lines = re.search(r"backward error +(\S+) at worst in (\d+) sampled lines", result.stdout).groups()
        self.assertLess(float(error), 1e-15)
        self.assertEqual(int(lines), 3 * 3 * 2 * 8)
        self.assertIn("step 3 of 3", result.stderr)

    def test_pictures_of_one_pixel_or_one_line(self):
        for width, height in ((1, 1), (1, 7), (7, 1), (2, 2)):
            source = self.path("in.pgm", b"P5\n%d %d\n255\n" % (width, height) + bytes(range(width * height)))
            self.denoise("--lambda", "1000", "--tau", "1e6", source, self.path("out.pgm"))
            samples = read_raw(self.path("out.pgm"))[2]
            self.assertLessEqual(max(samples) - min(samples), 1)  # by then all grey is spread evenly


class Formats(Denoising):
    PLAIN_GREY = b"P2 # a comment\n#another\n3 2\n15 0 1 2\n13\t14\r\n15"
    PLAIN_COLOR = b"P3\n2 1\n65535\n0 1 2 65533 65534 65535\n"

    def test_plain(self):
        for data, numbers in ((self.PLAIN_GREY, "0 1 2 13 14 15"), (self.PLAIN_COLOR, "0 1 2 65533 65534 65535")):
            source = self.path("in", data)
            self.denoise(*KEEP, source, self.path("out"))
            header, *rest = self.path("out").read_bytes().split(None, 4)
            self.assertEqual(header, data[:2])
            self.assertEqual(rest[-1].split(), numbers.encode().split())

    def test_raw(self):
        for kind, maxval, body in ((b"P5", 255, bytes(range(12))), (b"P6", 200, bytes(range(12))),
                                   (b"P5", 65535, bytes(range(24))), (b"P6", 256, bytes([1, 0] + [0, 7] * 11))):
            size = b"4 3" if kind == b"P5" else b"2 2"
            data = kind + b"\n" + size + b"\n%d\n" % maxval + body
            self.denoise(*KEEP, self.path("in.pnm", data), self.path("out.pnm"))
            self.assertEqual(self.path("out.pnm").read_bytes(), data)

    def test_grey_becomes_colour_by_extension(self):
        source = self.path("in.pgm", b"P5\n2 1\n255\n\x05\x09")
        self.denoise(*KEEP, source, self.path("out.ppm"))
        self.assertEqual(read_raw(self.path("out.ppm"))[2], [5, 5, 5, 9, 9, 9])

    def test_input_may_be_its_own_output(self):
        data = b"P5\n2 1\n255\n\x05\x09"
        self.denoise(*KEEP, self.path("both.pgm", data), self.path("both.pgm"))
        self.assertEqual(self.path("both.pgm").read_bytes(), data)

    @unittest.skipUnless(HAVE_PNG, "built without libpng")
    def test_png(self):
        grey = self.path("grey.pgm", b"P5\n4 3\n255\n" + bytes(range(12)))
        for source in (PICTURE, grey):
            back = self.path("back" + source.suffix)
            self.denoise(*KEEP, source, self.path("picture.png"))
            self.assertEqual(self.path("picture.png").read_bytes()[:4], b"\x89PNG")
            self.denoise(*KEEP, self.path("picture.png"), back)
            self.assertEqual(back.read_bytes(), source.read_bytes())


class BadInput(InFolder):
    """Every refusal: exit code 1, a message with the file's name and the reason, and the folder as it was before."""

    GOOD = b"P5\n4 3\n255\n" + bytes(12)

    def refused(self, source, output, file, *reasons, **options):
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = run(DENOISE, "--steps", "1", source, output, **options)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertTrue(result.stderr.startswith("denoise: ") or "step 1 of 1" in result.stderr, result.stderr)
        for words in (str(file), *reasons):
            self.assertIn(words, result.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)

    def refused_data(self, data, *reasons):
        source, output = self.path("in.pnm", data), self.path("out.pnm")
        self.refused(source, output, source, *reasons)
        output.write_bytes(b"an older picture")
        self.refused(source, output, source, *reasons)
        output.unlink()

    def test_empty(self):
        self.refused_data(b"", "empty")

    def test_not_an_image(self):
        for data in (b"Dear reader,\n", b"P", b"P4\n8 1\n\xff", b"P7\nWIDTH 1\n", b"\x89PNG", b"\xff\xd8\xff\xe0JFIF"):
            self.refused_data(data, "not a picture")

    def test_truncated(self):
        whole = PICTURE.read_bytes()
        for size in (len(whole) - 1, len(whole) // 2, whole.index(b"255\n") + 4):
            self.refused_data(whole[:size], "truncated", "288 x 224")
        self.refused_data(b"P5\n2 1\n65535\n\0\0\0", "truncated")
        self.refused_data(b"P2\n2 2\n9\n1 2 3", "truncated")
        self.refused_data(b"P2\n2 2\n99\n11 22 33", "truncated", "3 samples of 4")
        self.refused_data(b"P5\n2 1\n255", "truncated")

    def test_header(self):
        self.refused_data(b"P5", "no width")
        self.refused_data(b"P6\nwide high\n", "no width")
        self.refused_data(b"P5\n4\n", "no height")
        self.refused_data(b"P5\n4 -3\n255\n", "no height")
        self.refused_data(b"P5\n4 3\n# nothing more", "no maximum")
        self.refused_data(b"P5\n0 3\n255\n", "0 x 3", "empty")
        self.refused_data(b"P5\n3 0\n255\n", "3 x 0", "empty")
        self.refused_data(b"P5\n1 1\n0\n\0", "maximum", "65535")
        self.refused_data(b"P5\n1 1\n65536\n\0\0", "maximum", "65535")

    def test_huge(self):
        self.refused_data(b"P6\n999999999 999999999\n255\n", "999999999 x 999999999", "too large")
        self.refused_data(b"P5\n99999999999999999999 1\n255\n", "no width of at most nine digits")
        self.refused_data(b"P5\n40000 40000\n255\nshort", "truncated")  # before 12 GB are asked for

    def test_samples(self):
        self.refused_data(b"P2\n2 1\n9\n3 ten", "sample 2 is not a number")
        self.refused_data(b"P2\n2 1\n9\n3 10", "sample 2 is 10")
        self.refused_data(b"P5\n2 1\n9\n\x03\x0a", "sample 2 is 10")

    @unittest.skipUnless(HAVE_PNG, "built without libpng")
    def test_damaged_png(self):
        picture = self.path("picture.png")
        self.assertEqual(run(MAKE_PICTURE, "--size", "64x64", picture).returncode, 0)
        whole = picture.read_bytes()
        picture.unlink()
        for data in (whole[:8], whole[:40], whole[:-400], whole[:20] + b"\0" * 8 + whole[28:]):
            self.refused_data(data, "PNG file")

    def test_unreadable(self):
        self.refused(self.path("absent.pgm"), self.path("out.pgm"), "absent.pgm", "No such file")
        self.refused(self.folder, self.path("out.pgm"), self.folder, "Is a directory")

    @unittest.skipIf(os.geteuid() == 0, "nothing is forbidden to root")
    def test_forbidden(self):
        secret = self.path("secret.pgm", self.GOOD)
        secret.chmod(0)
        result = run(DENOISE, secret, self.path("out.pgm"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("Permission denied", result.stderr)
        self.assertFalse(self.path("out.pgm").exists())
        secret.unlink()
        locked = self.path("locked")
        locked.mkdir(mode=0o500)
        self.refused(self.path("in.pgm", self.GOOD), locked / "out.pgm", "locked", "Permission denied")

    def test_unwritable(self):
        source = self.path("in.pgm", self.GOOD)
        self.path("folder").mkdir()
        self.refused(source, self.path("absent") / "out.pgm", "absent", "No such file")
        self.refused(source, self.path("folder"), "folder", "not a regular file")
        self.refused(source, Path("/dev/null"), "/dev/null", "not a regular file")
        self.refused(PICTURE, self.path("out.pgm"), "out.pgm", "colour")

    def test_full_disk(self):
        def allow_1000_bytes():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.refused(PICTURE, self.path("out.ppm"), "out.ppm", "File too large", preexec_fn=allow_1000_bytes)

    def test_reference(self):
        other = self.path("in.pgm", self.GOOD)
        result = run(DENOISE, "--reference", other, PICTURE, self.path("out.ppm"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("in.pgm: not of the same size", result.stderr)
        self.assertFalse(self.path("out.ppm").exists())

    def test_options(self):
        for options in (["--steps", "0"], ["--steps", "2.5"], ["--tau", "0"], ["--tau", "nan"], ["--lambda", "-1"],
                        ["--lambda", "0"], ["--sigma", "x"], ["--backend", "gpu"], ["--threads", "0"], ["--stride"],
                        ["extra"]):
            result = run(DENOISE, *options, PICTURE, self.path("out.ppm"))
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(options[0] if options[0] != "extra" else "OUTPUT", result.stderr)
            self.assertFalse(self.path("out.ppm").exists())
        self.assertEqual(run(DENOISE).returncode, 2)
        self.assertEqual(run(DENOISE, "--help").returncode, 0)


if __name__ == "__main__":
    unittest.main()
