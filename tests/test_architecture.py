"""Imports point down only, and kernels do without pyspark."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# The house from the roof down: a part imports from its own part and from those below it. "nbspark" is the package's
# own __init__, the public names.
LAYERS = [
    {"jobs"},
    {"__main__", "rehearsal"},
    {"cli"},
    {"commands"},
    {"report"},
    {"nbspark"},
    {"estimator", "model_store"},
    {"retrain", "tuned", "calibrated"},
    {"model"},
    {"selection"},
    {"local", "counts", "documents"},
    {"insight"},
    {"evaluation"},
    {"lifecycle"},
    {"store"},
    {"scoring"},
    {"smoothing"},
    {"counting"},
    {"spec", "features"},
    {"events", "text"},
    {"arrays", "files"},
    {"runtime", "schemas"},
    {"errors", "version"},
]

# A room's kernels run in a web service or a plain Python process: numpy, pyarrow and scipy, never Spark. What puts them
# on DataFrames is the room's frame.py; in scoring/ there are the two plans, too.
ROOMS = (
    "arrays",
    "counting",
    "evaluation",
    "events",
    "features",
    "insight",
    "lifecycle",
    "report",
    "scoring",
    "selection",
    "smoothing",
    "store",
    "text",
)
ON_FRAMES = {"nbspark.scoring.broadcast", "nbspark.scoring.join"}
LOOSE_KERNELS = {"nbspark.local", "nbspark.spec", "nbspark.schemas", "nbspark.errors"} | {
    "nbspark.runtime.java",
    "nbspark.runtime.archive",
}

BLOCKED_IMPORTS = """
import importlib, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j", "pandas", "tomli_w"):
            raise ImportError(f"a kernel imports {name}")

sys.meta_path.insert(0, Blocker())
for name in sys.argv[1:]:
    importlib.import_module(name)
print(len(sys.argv) - 1)
"""


def module_name(path: Path) -> str:
    """Return the dotted name of a file; ``jobs/train.py`` is ``jobs.train``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for folder in ("nbspark", "jobs") for path in sorted((ROOT / folder).rglob("*.py"))}


def imported(tree: ast.AST, *, importer: str) -> set[str]:
    """Return every name that is imported anywhere in ``tree``, as ``package.module.name``."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{importer}:{node.lineno}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def known_module(name: str) -> str | None:
    """Return the module of this project that ``name`` is, or is a name of."""
    while name and name not in FILES:
        name = name.rpartition(".")[0]
    return name or None


def project_imports(module: str) -> set[str]:
    """Return the modules of this project that ``module`` imports, in functions and for type checks too."""
    names = imported(ast.parse(FILES[module].read_text()), importer=module)
    return {found for name in names if (found := known_module(name)) is not None} - {module}


def imports_on_import(module: str) -> set[str]:
    """Return the names that are imported as soon as ``module`` is: not in functions, not for type checks."""
    statements = [
        node
        for node in ast.parse(FILES[module].read_text()).body
        if not isinstance(node, ast.FunctionDef)
        and not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    return imported(ast.Module(statements, []), importer=module)


def unit(module: str) -> str:
    """Return the part of the layout that ``module`` belongs to: a package below nbspark, or a single module."""
    parts = module.split(".")
    return parts[1] if parts[0] == "nbspark" and len(parts) > 1 else parts[0]


def layer(module: str) -> int:
    """Return the layer of ``module``, 0 at the top."""
    layers = [number for number, units in enumerate(LAYERS) if unit(module) in units]
    assert len(layers) == 1, f"{unit(module)}: give it its place in LAYERS"
    return layers[0]


def is_kernel(module: str) -> bool:
    """Say whether a module does without Spark: every file of a room but its frame.py."""
    in_room = module.startswith("nbspark.") and unit(module) in ROOMS and not module.endswith(".frame")
    return (in_room and module not in ON_FRAMES) or module in LOOSE_KERNELS


KERNELS = [module for module in FILES if is_kernel(module)]


@pytest.mark.parametrize("module", FILES)
def test_imports_point_down(module: str) -> None:
    upward = {other for other in project_imports(module) if layer(other) < layer(module)}
    assert upward == set()


def test_no_module_imports_itself_through_others() -> None:
    order = graphlib.TopologicalSorter({module: project_imports(module) for module in FILES})
    order.prepare()  # raises CycleError, which names the circle


def test_jobs_are_the_command_line_and_nothing_else() -> None:
    assert {other for module in FILES if unit(module) == "jobs" for other in project_imports(module)} == {"nbspark.cli"}


def test_every_module_that_is_named_here_exists() -> None:
    assert {*ON_FRAMES, *LOOSE_KERNELS} - set(FILES) == set()
    assert {room for room in ROOMS if f"nbspark.{room}" not in FILES} == set()


@pytest.mark.parametrize("module", KERNELS)
def test_kernels_name_no_pyspark(module: str) -> None:
    names = imported(ast.parse(FILES[module].read_text()), importer=module)
    assert {name for name in names if name.split(".")[0] in {"pyspark", "py4j"}} == set()


@pytest.mark.parametrize("module", KERNELS)
def test_nothing_that_a_kernel_imports_imports_pyspark(module: str) -> None:
    seen: set[str] = set()
    todo = {module} | project_imports(module)
    while todo:
        current = todo.pop()
        seen.add(current)
        names = imports_on_import(current)
        assert {name for name in names if name.split(".")[0] in {"pyspark", "py4j"}} == set(), current
        packages = {current.rsplit(".", depth)[0] for depth in range(1, current.count(".") + 1)}
        todo |= (packages | {found for name in names if (found := known_module(name)) is not None}) - seen


def test_kernels_import_where_there_is_no_pyspark() -> None:
    command = [sys.executable, "-c", BLOCKED_IMPORTS, *KERNELS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(KERNELS)
