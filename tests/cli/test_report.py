"""`factreasoner report`, and `--report` of the commands that run."""

from command import record, write_records


def test_a_run_ends_with_its_report_and_a_finished_one_is_reported_again(factreasoner, tmp_path):
    data = write_records(tmp_path / "records.jsonl", record("r1"), record("r2"))
    done = factreasoner("run", data, "--out", "one", "--report")
    assert done.stdout.splitlines()[-1] == "Report: one/report.html"
    assert (tmp_path / "one" / "report.html").stat().st_size > 10_000
    assert factreasoner("report", "one", "--out", "pages/page.html").stdout == "Report: pages/page.html\n"
    assert (tmp_path / "pages" / "page.html").exists()


def test_a_run_is_told_in_markdown_on_standard_output_or_in_a_file(factreasoner, tmp_path):
    factreasoner("run", write_records(tmp_path / "records.jsonl", record("r1")), "--out", "one")
    said = factreasoner("report", "one", "--format", "md")
    assert (
        "\n\nJudged by: embedded word overlap (finds fewer than 1 in 10 errors, only in English).\n"
        in said.stdout
    )
    assert factreasoner("report", "one", "--out", "said.md").stdout == "Report: said.md\n"
    assert (tmp_path / "said.md").read_text(encoding="utf-8") == said.stdout
    assert "it describes one run" in factreasoner("report", "one", "one", "--format", "md", code=1).stderr
    odd = factreasoner("report", "one", "--out", "said.md", "--format", "html", code=1)
    assert "change one of them" in odd.stderr
