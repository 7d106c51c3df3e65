"""The files around the package: one version, one place for addresses, the same checks."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

import plaintree as pt

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def text(name: str) -> str:
    """A file of the project."""
    return (ROOT / name).read_text("utf-8")


def tracked() -> list[Path]:
    """The files that the project consists of."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a clone: git cannot list the files")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


# -------------------------------------------------------------------- the version


def test_the_version_is_that_of_the_package() -> None:
    assert "version" in PROJECT["project"]["dynamic"]
    assert metadata("plaintree")["Version"] == pt.__version__, "run make .stamps/build"
    assert yaml.safe_load(text("CITATION.cff"))["version"] == pt.__version__
    headings = re.findall(r"^## \[(.*?)\] - (.*)$", text("CHANGELOG.md"), re.M)
    assert headings[0][0] == pt.__version__
    assert all(re.fullmatch(r"unreleased|\d{4}-\d\d-\d\d", day) for _, day in headings)


def test_nothing_else_states_the_version() -> None:
    """CMake, the pages and model files read it, or do without."""
    assert not re.search(r"project\(.*VERSION", text("CMakeLists.txt"))
    assert "release = plaintree.__version__" in text("docs/conf.py")
    for name in ("pyproject.toml", "README.md", "SECURITY.md", "Makefile"):
        assert pt.__version__ not in text(name)


# -------------------------------------------------------------------- addresses


def test_only_one_file_has_the_addresses_of_the_project() -> None:
    home = PROJECT["project"]["urls"]["Source"]
    named = [path.name for path in tracked() if home.encode() in path.read_bytes()]
    assert named == ["pyproject.toml"]


def test_the_installed_package_has_the_addresses() -> None:
    entries = metadata("plaintree").get_all("Project-URL") or []
    assert dict(e.split(", ", 1) for e in entries) == PROJECT["project"]["urls"]


def test_addresses_that_files_refer_to_are_there() -> None:
    referred = {
        name
        for page in ("SECURITY.md", "CODE_OF_CONDUCT.md")
        for name in re.findall(r"address `(\w+)`", text(page))
    }
    assert referred == {"Security"}
    assert {"Security", "Issues"} <= set(PROJECT["project"]["urls"])


# -------------------------------------------------------------------- what is installed


def test_citation_and_package_agree() -> None:
    citation = yaml.safe_load(text("CITATION.cff"))
    project = PROJECT["project"]
    assert (citation["title"], citation["license"]) == (project["name"], project["license"])
    assert citation["abstract"] == project["description"]
    assert citation["authors"] == project["authors"]


def test_the_extra_all_has_all_others() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"plaintree[{','.join(sorted(extras.keys() - {'all'}))}]"


def test_extras_that_are_recommended_exist() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    sources = [p for p in tracked() if p.suffix in (".md", ".py") and "tests" not in p.parts]
    found = {
        extra.strip()
        for path in sources
        for named in re.findall(r"(?:plaintree|'\.)\[([\w, ]+)\]", path.read_text("utf-8"))
        for extra in named.split(",")
    }
    assert {"plot", "onnx"} <= found <= extras.keys()


def requirements(group: str) -> set[str]:
    """The requirements of a dependency group, without the groups it includes."""
    return {entry for entry in PROJECT["dependency-groups"][group] if isinstance(entry, str)}


def test_a_lowest_version_is_the_same_wherever_it_is_stated() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= requirements("build")
    groups = PROJECT["dependency-groups"]
    stated: dict[str, set[str]] = {}
    extras = PROJECT["project"]["optional-dependencies"].values()
    for entry in [
        *PROJECT["project"]["dependencies"],
        *(e for extra in extras for e in extra),
        *(e for group in groups for e in requirements(group)),
    ]:
        name, lowest, version = entry.partition(">=")
        if lowest:
            stated.setdefault(name, set()).add(version)
    assert [name for name, versions in stated.items() if len(versions) > 1] == []


def test_every_imported_library_is_required() -> None:
    """What scikit-learn happens to bring is required by name if it is imported."""
    pattern = re.compile(r"^ *(?:from|import) (\w+)[\w.]*(?: import| as|$)", re.M)
    sources = (ROOT / "src" / "plaintree").rglob("*.py")
    imported = {name for path in sources for name in pattern.findall(code(path))}
    names = [re.split(r"[\[>=]", entry)[0] for entry in PROJECT["project"]["dependencies"]]
    required = {name.replace("scikit-learn", "sklearn") for name in names}
    assert required <= imported
    common = {"numpy", "scipy", "sklearn", "joblib", "narwhals", "polars", "typer", "rich", "click"}
    assert imported & common == required


def code(path: Path) -> str:
    """A source without its docstrings, which hold examples of other libraries."""
    return re.sub(r'"""(?s:.*?)"""', "", path.read_text("utf-8"))


# -------------------------------------------------------------------- checks before a commit


def words(command: str) -> tuple[str, ...]:
    """A command without the files it is given."""
    command = command.replace("$(BIN)", ".venv/bin")
    return tuple(w for w in shlex.split(command) if w != "." and not w.startswith("$("))


def hooks() -> list[dict[str, Any]]:
    """The hooks of pre-commit."""
    repositories = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    assert [r["repo"] for r in repositories] == ["local"], "hooks use the tools of .venv only"
    return list(repositories[0]["hooks"])


def test_pre_commit_runs_what_make_lint_runs() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", text("Makefile"), re.M)
    assert recipe is not None
    assert [words(hook["entry"]) for hook in hooks()] == [
        words(line) for line in recipe[1].splitlines()
    ]


def test_hooks_need_no_other_host() -> None:
    assert {hook["language"] for hook in hooks()} == {"system"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks())


def test_the_hooks_together_look_at_all_sources() -> None:
    python = [hook for hook in hooks() if "python" in hook.get("types_or", ())]
    assert [hook["id"] for hook in python] == ["ruff-check", "ruff-format"]
    core = next(hook for hook in hooks() if hook["id"] == "clang-format")
    sources = [path.relative_to(ROOT).as_posix() for path in tracked()]
    in_c = [name for name in sources if name.endswith((".cpp", ".h"))]
    assert in_c
    assert [name for name in in_c if not re.search(core["files"], name)] == []


def test_attributes_of_files_are_about_files_that_exist() -> None:
    """Stored model files are compared byte by byte: git must not change their line ends."""
    patterns = [line.split()[0] for line in text(".gitattributes").splitlines()]
    assert all((ROOT / pattern.removesuffix("/**")).is_dir() for pattern in patterns)


def test_every_target_is_explained() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.M)
    explained = re.findall(r"^\| `make ([a-z-]+)` \|", text("CONTRIBUTING.md"), re.M)
    assert sorted(explained) == sorted(targets)
