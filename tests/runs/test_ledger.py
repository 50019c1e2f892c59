"""What was paid is known after any end of a process."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from factreasoner.errors import RunError
from factreasoner.runs.store import Ledger


def test_nothing_is_paid_before_the_first_request(tmp_path):
    assert Ledger(tmp_path / "spent.txt").total == 0


def test_every_thread_s_payment_counts(tmp_path):
    ledger = Ledger(tmp_path / "spent.txt")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ledger.add, [1e-6] * 200))
    assert Ledger(ledger.path).total == pytest.approx(2e-4)


@pytest.mark.parametrize("cut", range(1, 13))
def test_a_torn_line_spoils_no_other_and_never_counts_for_more(tmp_path, cut):
    ledger = Ledger(tmp_path / "spent.txt")
    ledger.add(0.25)
    ledger.add(0.0000125)
    ledger.path.write_bytes(ledger.path.read_bytes()[:-cut])
    Ledger(ledger.path).add(0.5)
    assert 0.75 <= Ledger(ledger.path).total <= 0.7500125


def test_a_file_that_cant_be_written_is_named(tmp_path):
    with pytest.raises(RunError, match=r"gone/spent\.txt: can't be written: No such file"):
        Ledger(tmp_path / "gone" / "spent.txt").add(0.1)


@pytest.mark.parametrize("damaged", [b"\x00\x00", b"-1.5", b"nan", b"0.1 0.2", "½".encode()])
def test_a_line_that_is_no_amount_is_named_and_not_taken_for_nothing(tmp_path, damaged):
    path = tmp_path / "spent.txt"
    path.write_bytes(b"\n0.25\n" + damaged)
    with pytest.raises(RunError, match=r"spent\.txt:3: .* is not an amount in US dollars"):
        _ = Ledger(path).total


def test_a_file_that_cant_be_read_is_named(tmp_path):
    with pytest.raises(RunError, match="can't be read: Is a directory"):
        _ = Ledger(tmp_path).total
