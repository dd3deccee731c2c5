"""Detects C and C++ projects: CMake with CTest, Meson, Autotools. Pure but for reading."""

from __future__ import annotations

import re

from jobs.suite.found import Found
from jobs.suite.source import Source
from jobs.suite.suite import Suite

_CMAKE = r"(?!(.*/)?(third_party|vendor|extern|external|deps)/)(.*/)?CMakeLists\.txt"
_MESON = r"(?!(.*/)?subprojects/)(.*/)?meson\.build"
_READ = 60
_ADDS = re.compile(
    r"^[ \t]*+(enable_testing|add_test|include\s*\(\s*CTest|gtest_\w*discover_tests|catch_discover_tests)", re.M | re.I
)
_SWITCH = re.compile(
    r"^[ \t]*+option\s*\(\s*(\w*(?:BUILD\w*TEST|TEST\w*BUILD|ENABLE_TEST)\w*)[^)]*\bOFF\s*\)", re.M | re.I
)


def find(source: Source) -> Found | None:
    """The C or C++ side of a repository, None if there is none."""
    for marker, one in (("CMakeLists.txt", _cmake), ("meson.build", _meson), ("configure.ac", _autotools)):
        if marker in source:
            suite, why, tests = one(source)
            return Found(
                "native", (), suite, ("Set-up: none; libraries must be on this machine.", why), tests, weak=True
            )
    return None


def _cmake(source: Source) -> tuple[Suite | None, str, int]:
    files = source.matching(_CMAKE)[:_READ]
    adding = [path for path in files if _ADDS.search(source.text(path))]
    if not adding:
        return None, "No test command: no CMakeLists.txt adds a test.", 0
    switches = [name for path in files for name in _SWITCH.findall(source.text(path))]
    wanted = "".join(f" -D{name}=ON" for name in dict.fromkeys(["BUILD_TESTING", *switches]))
    folder = build_folder(source)
    command = (
        f"cmake -S . -B {folder}{wanted} && cmake --build {folder} --parallel && "
        f"ctest --test-dir {folder} --output-on-failure"
    )
    return Suite(command, "ctest", adding[0]), f"Test command: `{command}`, since {adding[0]} adds tests.", len(adding)


def _meson(source: Source) -> tuple[Suite | None, str, int]:
    adding = [
        path for path in source.matching(_MESON)[:_READ] if re.search(r"^[ \t]*+test\s*\(", source.text(path), re.M)
    ]
    if not adding:
        return None, "No test command: no meson.build adds a test.", 0
    folder = build_folder(source)
    command = f"meson setup {folder} && meson test -C {folder} --print-errorlogs"
    return Suite(command, "meson", adding[0]), f"Test command: `{command}`, since {adding[0]} adds tests.", len(adding)


def _autotools(source: Source) -> tuple[Suite | None, str, int]:
    makes = [path for path in source.matching(r"(.*/)?Makefile\.am") if "TESTS" in source.text(path)]
    if not makes:
        return None, "No test command: no Makefile.am names tests.", 0
    start = "./autogen.sh" if "autogen.sh" in source else "autoreconf -i"
    command = f"{start} && ./configure && make && make check"
    return Suite(command, "automake", makes[0]), f"Test command: `{command}`, since {makes[0]} names tests.", len(makes)


def build_folder(source: Source) -> str:
    """A folder for what is built that holds nothing of the repository's."""
    return "build" if not any(path.startswith("build/") for path in source.paths) else "build-tests"
