"""The recipes run with LangChain and LlamaIndex themselves."""

from tools import run_example, tool


def test_with_langchain(capsys):
    tool("langchain_core")
    run_example("with_langchain")
    right, wrong = capsys.readouterr().out.splitlines()
    assert right == "Skerry Point lighthouse opened on 4 May 1931."
    assert wrong.startswith("I am not sure. <Assessment")
    assert "1 contradicted" in wrong


def test_with_llama_index(capsys):
    tool("llama_index.core")
    run_example("with_llama_index")
    answer, atom = capsys.readouterr().out.splitlines()
    assert answer == "Skerry Point lighthouse opened on 4 May 1913. 0.0"
    assert atom == "Skerry Point lighthouse opened on 4 May 1913. 0.12"
