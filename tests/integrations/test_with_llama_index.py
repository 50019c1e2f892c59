"""The recipe runs with LlamaIndex itself."""

from tools import run_example, tool

tool("llama_index.core")


def test_the_example_runs(capsys):
    run_example("with_llama_index")
    answer, atom = capsys.readouterr().out.splitlines()
    assert answer == "Skerry Point lighthouse opened on 4 May 1913. 0.0"
    assert atom == "Skerry Point lighthouse opened on 4 May 1913. 0.13"
