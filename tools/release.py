"""Build what is published, into dist, and try it as a user gets it.

    python tools/release.py sdist      # the source distribution
    python tools/release.py wheel      # that, and wheels made from it

Wheels are built from the source distribution, so it must be complete, and get the oldest manylinux
tag that auditwheel finds true. Each is installed into an empty environment and tried there by
tools/try_installed.py, for every Python of PYTHONS that is installed; the others are named.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PAGE = Path("src/plaintree/app/studio/static")
"""Where the page of the studio is built; git ignores it."""
STABLE_ABI = (3, 12)
"""The first Python whose wheel serves all later ones."""
LARGEST_SDIST = 4_000_000
ALLOWED = {
    *("benchmarks", "docs", "examples", "src", "tests", "tools", "web"),
    *("CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE"),
    *("CMakeLists.txt", "Makefile", "PKG-INFO", "README.md", "SECURITY.md", "pyproject.toml"),
    *(".clang-format", ".editorconfig", ".gitattributes", ".gitignore", ".pre-commit-config.yaml"),
}
"""What may be at the top of the source distribution."""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run one of the tools of this environment, and stop where it fails."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(command, cwd=cwd, check=True, env={**os.environ, "PATH": path})


def interpreter(version: str) -> Path | None:
    """A Python of that version: on the path, or one that pyenv has installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
    on_path = shutil.which(f"python{version}")
    for found in (*([Path(on_path)] if on_path else []), *installed):
        if subprocess.run([found, "-V"], capture_output=True, check=False).returncode == 0:
            return found
    return None


def build_sdist() -> Path:
    """Build the source distribution and check what is in it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("uv", "build", "-q", "--sdist", "-o", DIST)
    (made,) = DIST.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        names = [Path(*Path(name).parts[1:]) for name in archive.getnames()]
    junk = sorted({name.parts[0] for name in names} - ALLOWED)
    junk += [str(name) for name in names if name.suffix in (".so", ".pyc", ".o", ".whl")]
    if junk or made.stat().st_size > LARGEST_SDIST:
        sys.exit(f"{made.name}: {made.stat().st_size:,} bytes; what should not be in it: {junk}")
    absent = {PAGE / name for name in ("index.html", "report.js", "report.css")} - set(names)
    if absent:
        sys.exit(f"{made.name} lacks {', '.join(map(str, sorted(absent)))}; run make page")
    print(f"{made.name}: {made.stat().st_size:,} bytes, {len(names)} files")
    return made


def build_wheel(sdist: Path, python: Path) -> Path:
    """Build a wheel for one Python, and give it the tag of the systems that can use it."""
    with tempfile.TemporaryDirectory() as directory:
        run("uv", "build", "-q", "--wheel", "-p", python, "-o", directory, sdist)
        (plain,) = Path(directory).glob("*.whl")
        before = set(DIST.glob("*.whl"))
        run("auditwheel", "repair", "--strip", "-w", DIST, plain)
    (made,) = set(DIST.glob("*.whl")) - before
    print(f"{made.name}: {made.stat().st_size:,} bytes")
    return made


def try_wheel(wheel: Path, python: Path) -> None:
    """Install a wheel into an empty environment, and use it from an empty directory."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        run("uv", "venv", "-q", "-p", python, place / "venv")
        fresh = place / "venv" / "bin" / "python"
        run("uv", "pip", "install", "-q", "-p", fresh, wheel, cwd=place)
        (place / "empty").mkdir()
        run(fresh, "-I", ROOT / "tools" / "try_installed.py", cwd=place / "empty")


def build_wheels(sdist: Path) -> None:
    """Build the wheels for the installed Pythons, and try each Python with the wheel it uses."""
    stable = None
    absent = []
    for version in PYTHONS:
        python = interpreter(version)
        if python is None:
            absent.append(version)
            continue
        if tuple(map(int, version.split("."))) < STABLE_ABI:
            try_wheel(build_wheel(sdist, python), python)
        else:
            stable = stable or build_wheel(sdist, python)
            try_wheel(stable, python)
    if absent:
        print(f"Not tried, because not installed: Python {', '.join(absent)}")


if __name__ == "__main__":
    source = build_sdist()
    if sys.argv[1:] == ["wheel"]:
        build_wheels(source)
