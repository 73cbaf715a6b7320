"""What quickstart and src/cmake/{cuda,devices}.cmake decide, seen from outside: which packages an action needs, when CUDA is
compiled and for which GPUs, that an installation is complete or not at all. Programs that they call are replaced.
Arguments: the source folder, and cmake.
SPDX-License-Identifier: BSD-3-Clause"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, CMAKE = Path(sys.argv.pop(1)), sys.argv.pop(1)
TOOLS = "bash cat dirname env find grep ldconfig mkdir mktemp mv nproc realpath rm rmdir sed tee wc".split()

# Notes its arguments; "builds" nothing, and installs two files, or fails where FAIL says so.
FAKE_CMAKE = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$LOG"
for argument; do
    case $argument in -DCMAKE_INSTALL_PREFIX=*) echo "${argument#*=}" >prefix ;; esac
done
case $1 in
    --preset)
        mkdir -p build/native
        printf 'CMAKE_INSTALL_LIBDIR:PATH=lib\\nXBATCH_BACKENDS:INTERNAL=the host only: a test\\n' >build/native/CMakeCache.txt ;;
    --install)
        place=$DESTDIR$(<prefix)
        mkdir -p "$place/lib" "$place/include"
        echo new >"$place/lib/libxbatch.so"
        [[ ${FAIL-} != --install ]] || exit 1
        echo new >"$place/include/xbatch.h" ;;
esac
[[ ${FAIL-} != "$1" ]]
"""


class Sandbox(unittest.TestCase):
    """A copy of quickstart, and a PATH with a few tools and the programs that a test adds."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.folder.chmod(0o755)
        self.tree, self.bin = self.folder / "tree", self.folder / "bin"
        self.log = self.folder / "log"
        for place in (self.tree, self.bin):
            place.mkdir()
        for name in ("quickstart", "CMakeLists.txt"):
            shutil.copy(SOURCE / name, self.tree)
        for name in TOOLS:
            found = shutil.which(name, path=os.environ["PATH"] + ":/sbin:/usr/sbin")
            if found:
                (self.bin / name).symlink_to(found)

    def program(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def run_it(self, *arguments, code=0, **options):
        environment = {"PATH": str(self.bin), "LOG": str(self.log), **options.pop("env", {})}
        result = subprocess.run([self.tree / "quickstart", *map(str, arguments)], env=environment, capture_output=True,
                                text=True, timeout=60, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def logged(self):
        return self.log.read_text() if self.log.exists() else ""


class Packages(Sandbox):
    def needed(self, *arguments):
        """Packages that are installed where there are none."""
        note = '#!/usr/bin/env bash\nprintf "%s\\n" "$*" >>"$LOG"\n[[ $* != *install* ]]\n'  # the installation fails
        self.program("apt-get", note)
        self.program("sudo", '#!/usr/bin/env bash\n[[ $1 == -n ]] && shift\n"$@"\n')
        self.program("true", "#!/usr/bin/env bash\n")
        self.program("dpkg-query", "#!/usr/bin/env bash\necho unknown\nexit 1\n")
        self.log.unlink(missing_ok=True)
        self.run_it(*arguments, code=1)
        (line,) = (line for line in self.logged().splitlines() if "install" in line)
        return {word for word in line.split() if not word.startswith("-")} - {"install"}

    def test_each_action_needs_only_its_own(self):
        compile_only = {"cmake", "make", "g++"}
        self.assertEqual(self.needed("install", self.folder / "prefix"), compile_only)
        demo = compile_only | {"liblapacke-dev", "libpng-dev"}
        self.assertEqual(self.needed("demo", __file__), demo)
        self.assertEqual(self.needed("neuron"), demo | {"gnuplot-nox"})
        tests = demo | {"gfortran", "libgtest-dev", "pkg-config", "python3"}
        self.assertEqual(self.needed("test"), tests)
        self.assertEqual(self.needed("test", "dev"), tests | {"libcli11-dev"})
        self.assertEqual(self.needed("packages", "doxygen"), tests | {"libcli11-dev", "gnuplot-nox", "doxygen"})

    def test_without_root_the_command_is_printed(self):
        self.program("apt-get", "#!/usr/bin/env bash\nexit 1\n")
        options = {"user": 65534} if os.geteuid() == 0 else {}
        text = self.run_it("install", "/tmp", code=1, **options).stderr
        self.assertIn("    sudo apt-get install --yes --no-install-recommends cmake make g++\n", text)

    def test_without_apt(self):
        self.assertIn("the equivalents of Debian's cmake make g++", self.run_it("install", "/tmp", code=1).stderr)


class Building(Sandbox):
    def setUp(self):
        super().setUp()
        self.program("cmake", FAKE_CMAKE)
        for name in ("make", "c++"):
            self.program(name, "#!/usr/bin/env bash\n")

    def test_cuda_is_asked_for_or_left_out_by_options(self):
        prefix = self.folder / "prefix"
        for option, said in (("--cuda=80,90", "-DXBATCH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=80-real;90-real"),
                             ("--host", "-DXBATCH_CUDA=OFF")):
            self.log.unlink(missing_ok=True)
            self.run_it(option, "install", prefix)
            self.assertIn(f"--preset native {said} ", self.logged())
        self.log.unlink()
        text = self.run_it("install", prefix).stdout
        self.assertNotIn("XBATCH_CUDA", self.logged())  # the preset's: NATIVE
        self.assertRegex(text, r"^Builds xbatch for the host only: a test\n.*about \d+ minutes")

    def test_wrong_command_lines(self):
        for arguments in ((), ("dance",), ("--dance",), ("--cuda", "demo"), ("--cuda=x", "demo")):
            result = self.run_it(*arguments, code=2)
            self.assertEqual((result.stdout, result.stderr[:18]), ("", "Usage: ./quickstar"))
        self.assertIn("begin with /", self.run_it("install", "doxygen", code=2).stderr)
        self.assertIn("no-such", self.run_it("demo", "no-such.png", code=1).stderr)
        self.assertEqual(self.logged(), "")
        self.assertTrue(self.run_it("--help").stdout.startswith("Usage: "))
        self.assertRegex(self.run_it("--version").stdout, r"^quickstart \(xbatch\) \d+\.\d+\.\d+\n$")

    def files(self, folder):
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def test_installation(self):
        prefix = self.folder / "deep" / "prefix"
        text = self.run_it("install", prefix).stdout
        self.assertEqual(self.files(prefix), {"lib/libxbatch.so": "new\n", "include/xbatch.h": "new\n"})
        for line in (f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig\n", f"-rpath,{prefix}/lib\n",
                     f"-DCMAKE_PREFIX_PATH={prefix} ", f"LD_LIBRARY_PATH={prefix}/lib\n"):
            self.assertIn(line, text)
        self.assertEqual(list(self.folder.rglob(".xbatch-*")), [])

    def test_installation_over_another(self):
        prefix = self.folder / "prefix"
        (prefix / "lib").mkdir(parents=True)
        (prefix / "lib/libxbatch.so").write_text("old")
        (prefix / "lib/other").write_text("kept")
        self.run_it("install", prefix)
        self.assertEqual(self.files(prefix),
                         {"lib/libxbatch.so": "new\n", "lib/other": "kept", "include/xbatch.h": "new\n"})

    def test_nothing_is_installed_where_a_step_fails(self):
        prefix = self.folder / "prefix"
        for step in ("--preset", "--build", "--install"):
            self.run_it("install", prefix, env={"FAIL": step}, code=1)
            self.assertFalse(prefix.exists(), step)
        prefix.mkdir()
        (prefix / "include").write_text("a file")
        self.run_it("install", prefix, code=1)
        self.assertEqual(self.files(prefix), {"include": "a file"})
        self.assertEqual(list(self.folder.rglob(".xbatch-*")), [])


class Devices(Sandbox):
    def found(self, answer, code=0):
        """Architectures, and the text for people."""
        if answer is not None:
            self.program("nvidia-smi", f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\nexit {code}\n")
        script = self.folder / "script.cmake"
        script.write_text(f"include({SOURCE}/src/cmake/devices.cmake)\nxbatch_find_devices(a text)\n"
                          'message("${a}|${text}")\n')
        result = subprocess.run([CMAKE, "-P", script], env={"PATH": str(self.bin)}, capture_output=True, text=True,
                                timeout=60, check=True)
        return tuple(result.stderr.strip().split("|"))

    def test_devices(self):
        h100, a100 = "NVIDIA H100 80GB HBM3, 9.0", "NVIDIA A100-SXM4-40GB, 8.0"
        self.assertEqual(self.found(h100), ("90-real", "NVIDIA H100 80GB HBM3 (sm_90)"))
        self.assertEqual(self.found(f"{h100}\n{h100}"), ("90-real", "NVIDIA H100 80GB HBM3 (sm_90)"))
        self.assertEqual(self.found(f"{h100}\n{a100}")[0], "90-real;80-real")
        self.assertEqual(self.found("NVIDIA GeForce RTX 5090, 12.0")[0], "120-real")

    def test_no_device(self):
        old = self.found("NVIDIA GeForce GTX 1080, 6.1")
        self.assertEqual(old, ("", "NVIDIA GeForce GTX 1080 is of sm_61, and sm_80 is needed"))
        lost = self.found("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", code=9)
        self.assertEqual(lost[0], "")
        self.assertIn("couldn't communicate", lost[1])
        self.assertEqual(self.found("No devices were found"), ("", "nvidia-smi says: No devices were found"))
        self.assertEqual(self.found("Field \"compute_cap\" is not a valid field to query.", code=2)[0], "")
        self.assertEqual(self.found(":"), ("", "nvidia-smi says: :"))

    @unittest.skipIf(shutil.which("nvidia-smi") or os.path.exists("/dev/nvidia0"), "this machine has a driver")
    def test_no_driver(self):
        self.assertEqual(self.found(None), ("", "no NVIDIA driver (nvidia-smi) is found"))

    def chosen(self, value, nvcc=None, architectures=None):
        """What is built with XBATCH_CUDA=value and an nvcc of this version for sm_80 and sm_90, or none."""
        if nvcc:
            self.program("nvcc", "#!/bin/sh\ncase $1 in --version) echo 'Cuda compilation tools, release "
                         f"{nvcc}, V{nvcc}.88' ;; *) printf 'compute_80\\ncompute_90\\n' ;; esac\n")
        script = self.folder / "script.cmake"
        script.write_text(f"""
            foreach(command IN ITEMS enable_language find_package)
                cmake_language(EVAL CODE "function(${{command}})\nendfunction()")
            endforeach()
            set(CMAKE_CUDA_COMPILER_VERSION {nvcc or ""})
            set(CMAKE_CUDA_COMPILER "{self.bin / "nvcc" if nvcc else ""}")
            set(XBATCH_CUDA {value})
            set(CMAKE_CUDA_ARCHITECTURES {architectures or ""})
            include({SOURCE}/src/cmake/cuda.cmake)
            message("${{XBATCH_HAVE_CUDA}}: ${{XBATCH_BACKENDS}}")""")
        result = subprocess.run([CMAKE, "-P", script], env={"PATH": str(self.bin)}, capture_output=True, text=True,
                                timeout=60)
        return " ".join(result.stderr.split())

    def test_choice(self):
        self.found("NVIDIA H100, 9.0")
        self.assertEqual(self.chosen("NATIVE", "13.0"), "ON: the host and CUDA 13.0 for 90-real: NVIDIA H100 (sm_90)")
        self.assertEqual(self.chosen("AUTO", "13.0"), "ON: the host and CUDA 13.0 for 80-real 90-real 90-virtual")
        self.assertEqual(self.chosen("ON", "13.0", "80-real"), "ON: the host and CUDA 13.0 for 80-real")
        self.assertEqual(self.chosen("OFF", "13.0"), "OFF: the host only: XBATCH_CUDA=OFF")
        self.assertEqual(self.chosen("NATIVE"), "OFF: the host only: NVIDIA H100 (sm_90) answers, but no CUDA compiler "
                         "(nvcc) is found")
        self.assertEqual(self.chosen("AUTO"), "OFF: the host only: no CUDA compiler (nvcc) is found")
        self.assertIn("XBATCH_CUDA=ON, but no CUDA compiler (nvcc) is found", self.chosen("ON"))
        self.assertIn("is of CUDA 11.8, and 12.8 is needed", self.chosen("AUTO", "11.8"))
        self.assertIn("cannot compile for sm_130", self.chosen("ON", "13.0", "90-real 130-real"))
        self.assertIn("is AUTO, NATIVE, ON or OFF, not 'MAYBE'", self.chosen("MAYBE", "13.0"))
        self.found("No devices were found")
        self.assertEqual(self.chosen("NATIVE", "13.0"), "OFF: the host only: nvidia-smi says: No devices were found")


if __name__ == "__main__":
    unittest.main()
