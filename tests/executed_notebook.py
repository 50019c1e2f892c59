"""The notebook of examples/, its cells run one after the other as a kernel runs them.

`python tests/executed_notebook.py` writes what they give into it.
"""

import ast
import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[1] / "examples/notebook.ipynb"


def executed():
    """The notebook with what its cells give now: the value of a last line that is an expression."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    scope = {}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            value = _run("".join(cell["source"]), scope)
            cell["execution_count"] = count
            cell["outputs"] = [] if value is None else [_result(value, count)]
    return notebook


def _run(source, scope):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), scope) if last else None


def _result(value, count):
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}


if __name__ == "__main__":
    NOTEBOOK.write_text(json.dumps(executed(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
