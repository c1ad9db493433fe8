"""Builds the library with CMake and puts it into the package, as factorgcn/lib/libfactorgcn_python.so.

It is built with the torch that is installed and serves that version of it, with every Python: no Python.h is needed.
pip install --no-build-isolation, so that it is found. FACTORGCN_BUILD_DIR: a build folder to use, which may hold a
finished build; otherwise build-python beside the sources.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
SOURCES = Path(os.environ.get("FACTORGCN_SOURCE_DIR") or HERE.parent)
BUILD = Path(os.environ.get("FACTORGCN_BUILD_DIR") or SOURCES / "build-python")
LIBRARY = "libfactorgcn_python.so"


def version() -> str:
    header = (SOURCES / "include" / "factorgcn" / "version.h").read_text(encoding="utf-8")
    found = re.search(r'FACTORGCN_VERSION "([0-9.]+)"', header)
    if found is None:
        raise SystemExit(f"{SOURCES} tells no version of factorgcn")
    return found.group(1)


def torch_folder() -> str:
    """Where torch came with its headers (from pip); empty where they are the system's, which Debian's torch links to.
    """
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        raise SystemExit("torch is not installed; install it first, and this with pip install --no-build-isolation")
    folder = Path(found.origin).resolve().parent
    header = folder / "include" / "torch" / "library.h"
    return str(folder) if header.is_file() and header.resolve().is_relative_to(folder) else ""


def compilers() -> int:
    """As many as there are cores, but no more than memory allows: one takes up to 1.5 GB."""
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), int(memory / 1.5e9)))


def build_library() -> Path:
    if not (BUILD / "CMakeCache.txt").is_file():
        settings = {"CMAKE_BUILD_TYPE": "Release", "LIBTORCH_DIR": torch_folder(), "FACTORGCN_BUILD_TESTS": "OFF",
                    "FACTORGCN_BUILD_BENCH": "OFF", "FACTORGCN_INSTALL": "OFF"}
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", str(SOURCES), "-B", str(BUILD), *generator,
                        *(f"-D{name}={value}" for name, value in settings.items())], check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(compilers())
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "factorgcn_python", "-j", jobs], check=True)
    return BUILD / LIBRARY


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        folder = (HERE if self.editable_mode else Path(self.build_lib)) / "factorgcn" / "lib"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build_library(), folder / LIBRARY)


class WheelOfEveryPython(bdist_wheel):
    """For this machine's kind and any Python 3."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self) -> bool:
        return True


BUILD.mkdir(parents=True, exist_ok=True)
(BUILD / "setuptools").mkdir(exist_ok=True)
setup(version=version(), distclass=WithLibrary,
      cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfEveryPython},
      options={"build": {"build_base": str(BUILD / "setuptools")}, "egg_info": {"egg_base": str(BUILD / "setuptools")}})
