"""Seconds to open a journal with every checksum verified, beside those to read its lines and do nothing.

    python benchmarks/journal.py [--records 100000]

Prints both, and the memory that the opened journal takes. CPU seconds of this process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tracemalloc
from pathlib import Path

from factreasoner import assess
from factreasoner.models.journal import Journal
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import line_of

TEXT = "The tower was finished in 1889. It is 330 metres tall. It stands in Paris."


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    records = parser.parse_args().records
    one = assess(TEXT, contexts=[TEXT, "It is a tower."])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        with path.open("wb") as journal:
            for number in range(records):
                own = {"record_id": f"r{number}", "fingerprint": f"{number:016x}"}
                journal.write(line_of(TASK, one.model_copy(update=own)).text)
        started = time.process_time()
        with path.open("rb") as lines:
            for _ in lines:
                pass
        plain = time.process_time() - started
        started = time.process_time()
        opened = Journal(path)
        assert len(opened.entries) == records
        seconds = time.process_time() - started
        size = path.stat().st_size / 2**20
        path.write_bytes(path.read_bytes()[: int(size * 2**20 / 10)])
        tracemalloc.start()
        again = Journal(path)
        kept = len(again.entries)
        memory, _ = tracemalloc.get_traced_memory()
    print(f"{records:,} records, {size:.0f} MB")
    print(f"lines alone  {plain:6.2f} s")
    print(f"opened       {seconds:6.2f} s, {memory / kept:.0f} bytes of memory a record")


if __name__ == "__main__":
    main()
