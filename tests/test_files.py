"""Compressed files are read as what they hold, and written as what other programs read."""

import errno
import gzip
import io
import os
import struct
import subprocess
from pathlib import Path

import pytest

from factreasoner.errors import RunError
from factreasoner.files import (
    compressed_writer,
    open_file,
    replace_file,
    uncompressed_name,
    unpack_file,
    zstd,
)

LINES = [
    f'{{"number": {number}, "text": "Ötzi was found on day {number * 7919 % 365}."}}\n'
    for number in range(9000)
]
TEXT = "".join(LINES).encode()
PACKERS = {
    "plain": bytes,
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "members": lambda data: gzip.compress(data[:999], mtime=0) + gzip.compress(data[999:], mtime=0),
    "zstd": zstd.compress,
    "frames": lambda data: zstd.compress(data[:999]) + zstd.compress(data[999:]),
}


def test_identical_file_keeps_its_time(tmp_path):
    path = tmp_path / "file.txt"
    replace_file(path, ["a"], touch=False)
    for lines, kept in ((["a"], True), (["b"], False)):
        os.utime(path, (1, 1))
        replace_file(path, lines, touch=False)
        assert (path.stat().st_mtime == 1, path.read_text()) == (kept, f"{lines[0]}\n")
        assert list(tmp_path.iterdir()) == [path]
    os.utime(path, (1, 1))
    replace_file(path, ["b"])
    assert path.stat().st_mtime > 1


@pytest.mark.parametrize("form", PACKERS)
def test_compression_is_told_by_content(tmp_path, form):
    path = tmp_path / "file.txt"
    path.write_bytes(PACKERS[form](TEXT))
    with open_file(path) as file:
        assert file.read(4) == TEXT[:4]
        file.seek(0)
        assert list(file) == TEXT.splitlines(keepends=True)
        for place in (len(TEXT) - 9, 70_000, 3):
            file.seek(place)
            assert (file.tell(), file.readline()) == (place, TEXT[place : TEXT.index(b"\n", place) + 1])


@pytest.mark.parametrize("form", ["gzip", "members", "zstd", "frames"])
def test_lines_before_damage_are_read_and_reported(form):
    data = PACKERS[form](TEXT)
    whole = set(TEXT.splitlines(keepends=True))
    for kept in (len(data) - 1, len(data) - 5, len(data) * 2 // 3, 20):
        lines, error = lines_until_error(data[:kept])
        assert set(lines) <= whole
        assert f"data is cut short in or after line {len(lines) + 1:,}; fetch" in error
    spoilt = bytearray(data)
    spoilt[len(data) * 2 // 3] ^= 0x55
    assert "cut short" in (error := lines_until_error(bytes(spoilt))[1]) or "is damaged in or after" in error


def lines_until_error(data):
    lines = []
    with (
        unpack_file(io.BufferedReader(io.BytesIO(data))) as file,
        pytest.raises(OSError, match="fetch or pack it again") as caught,
    ):
        lines.extend(file)
    return lines, str(caught.value.strerror)


def skipped(size):
    return struct.pack("<II", 0x184D2A50, size) + bytes(size)


@pytest.mark.parametrize(
    "data",
    [
        skipped(4) + zstd.compress(TEXT) + skipped(4) + zstd.compress(TEXT),  # as of pzstd
        zstd.compress(TEXT) + skipped(2**20) + zstd.compress(TEXT) + skipped(2**20),
        gzip.compress(TEXT, mtime=0) * 2 + bytes(2**20),
    ],
)
def test_parts_to_skip_and_padding_are_passed_over(data):
    with unpack_file(io.BufferedReader(io.BytesIO(data))) as file:
        assert file.read() == TEXT * 2


def test_damaged_checksum_is_reported(tmp_path):
    path = tmp_path / "f.gz"
    data = bytearray(gzip.compress(TEXT, mtime=0))
    data[-6] ^= 1
    path.write_bytes(data)
    with open_file(path) as file, pytest.raises(OSError, match=r"gzip data is damaged.*`gzip -t FILE`"):
        file.read()


@pytest.mark.parametrize(
    ("ending", "unpack"), [(".gz", ["gzip", "-dc"]), (".zst", None), (".GZ", ["gzip", "-dc"])]
)
def test_written_files_open_elsewhere(tmp_path, ending, unpack):
    found = []
    for name in ("one", "other"):
        path = tmp_path / f"{name}.csv{ending}"
        with path.open("wb") as file, compressed_writer(path, file) as packed:
            packed.writelines(line.encode() for line in LINES)
        found.append(path.read_bytes())
    assert found[0] == found[1]
    assert len(found[0]) < len(TEXT) / 4
    read = (
        subprocess.run([*unpack, str(path)], capture_output=True, check=True).stdout
        if unpack
        else zstd.decompress(found[0])
    )
    assert read == TEXT


@pytest.mark.parametrize(
    ("name", "plain"),
    [("a.jsonl.gz", "a.jsonl"), ("a.csv.ZST", "a.csv"), ("a.gz.jsonl", "a.gz.jsonl"), ("a", "a")],
)
def test_names_without_the_compression(name, plain):
    assert uncompressed_name(Path("x.gz", name)) == Path("x.gz", plain)


def test_failed_replacement_keeps_the_old_file(tmp_path):
    path = tmp_path / "f"
    path.write_text("old")

    def lines():
        yield "new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RunError, match="No space left on device"):
        replace_file(path, lines())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
