import ast
import subprocess
import sys
from pathlib import Path

import merlin_bridge

PACKAGE = Path(merlin_bridge.__file__).parent

ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["factreasoner"] = None
import merlin_bridge
assert all(hasattr(merlin_bridge, name) for name in merlin_bridge.__all__)
outside = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(sorted(outside - {"__main__", "merlin_bridge", "factreasoner"}))
"""


def test_package_imports_without_other_packages():
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(PACKAGE.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_modules_import_only_the_standard_library():
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                root = name.partition(".")[0]
                assert root in sys.stdlib_module_names or root == "merlin_bridge", (path.name, name)


def test_package_is_typed():
    assert (PACKAGE / "py.typed").exists()
