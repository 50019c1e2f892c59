"""The recipe runs with LangChain itself."""

from tools import run_example, tool

tool("langchain_core")


def test_the_example_runs(capsys):
    run_example("with_langchain")
    right, wrong = capsys.readouterr().out.splitlines()
    assert right == "Skerry Point lighthouse opened on 4 May 1931."
    assert wrong.startswith("I am not sure. <Assessment")
    assert "1 contradicted" in wrong
