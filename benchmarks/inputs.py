"""Seconds to read and check records, beside those that `json.loads` takes for the same lines.

    python benchmarks/inputs.py [--records 100000]

Prints both, their ratio, and the peak of memory. CPU seconds of this process: other work on the machine does
not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from factreasoner.inputs.input import CheckedInput
from factreasoner.pipeline.config import Config
from factreasoner.tasks.factuality import check_fits

CONTEXTS = 3
SENTENCE = "The tower was finished in 1889, is 330 metres tall and stands in Paris. "


def write(path: Path, records: int) -> None:
    """Records with a question, an answer and a few passages."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(records):
            contexts = [
                {
                    "id": f"c{i}",
                    "title": "Tower",
                    "text": SENTENCE * 3,
                    "link": f"https://x.example/{number}/{i}",
                }
                for i in range(CONTEXTS)
            ]
            record = {
                "id": f"r{number}",
                "input": "What do you know of the tower?",
                "output": SENTENCE * 4,
                "contexts": contexts,
                "split": "test",
            }
            file.write(json.dumps(record) + "\n")


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    records = parser.parse_args().records
    config = Config()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        write(path, records)
        started = time.process_time()
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
        plain = time.process_time() - started
        started = time.process_time()
        checked = CheckedInput(path, fits=lambda record: check_fits(record, config))
        seconds = time.process_time() - started
        assert len(checked.ids) == records
        size = path.stat().st_size / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{records:,} records, {size:.0f} MB")
    print(f"json.loads   {plain:6.2f} s")
    print(f"CheckedInput {seconds:6.2f} s   {seconds / plain:.1f} times json.loads")
    print(f"peak of memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
