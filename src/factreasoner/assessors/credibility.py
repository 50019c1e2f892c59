"""Credibility of sources: context priors by the domain of their link, from a user's table."""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.files import CsvTable, describe_table_error, text_of
from factreasoner.graph.settings import GraphSettings
from factreasoner.models import Context, PriorFrom

HEADER = ["domain", "prior"]
ANY = "*"


class Rated(NamedTuple):
    """Contexts with priors, the origin of each prior, and the table's domains that were used."""

    contexts: tuple[Context, ...]
    prior_from: dict[str, PriorFrom]
    used: frozenset[str]


def domain_of(link: str, priors: Mapping[str, float]) -> str | None:
    """The longest domain of the table that matches the link's host; None without a link.

    `*` matches links that match no other domain.
    """
    if not link.strip():
        return None
    from factreasoner.web.addresses import host_of

    labels = (host := host_of(link)).split(".")
    names = (".".join(labels[i:]) for i in range(len(labels)))
    return next((name for name in names if name in priors), ANY if host and ANY in priors else None)


def add_priors(contexts: Sequence[Context], config: GraphSettings) -> Rated:
    """The contexts with priors: the record's own, else by domain from the table, else the setting.

    Raises InputError: the table can't be read; every bad line is named.
    """
    table = read_credibility(config.credibility) if config.credibility else {}
    found: list[Context] = []
    prior_from: dict[str, PriorFrom] = {}
    used: set[str] = set()
    for context in contexts:
        domain = domain_of(context.link, table)
        if context.prior is not None:
            prior, prior_from[context.id] = context.prior, "record"
        elif domain is not None:
            prior, prior_from[context.id] = table[domain], "table"
            used.add(domain)
        else:
            prior, prior_from[context.id] = config.context_prior, "default"
        found.append(context.model_copy(update={"prior": prior}))
    return Rated(tuple(found), prior_from, frozenset(used))


def read_credibility(path: Path) -> Mapping[str, float]:
    """Priors by domain, from a UTF-8 CSV file with the header `domain,prior`.

    Raises InputError: the file can't be read, is not UTF-8, has another header or no rows, or has bad lines,
    which are all named.
    """
    return _parsed(str(path), text_of(path))


def credibility_fingerprint(path: Path) -> str:
    """Short digest of the table file. Raises InputError if it can't be read."""
    read_credibility(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@functools.lru_cache(maxsize=8)
def _parsed(path: str, text: str) -> Mapping[str, float]:
    table = CsvTable(io.BytesIO(text.encode()), ",")
    try:
        lines = [(table.line, row) for row in table]
    except csv.Error as error:
        raise InputError([InputProblem(f"{path}:{table.begins}", "", describe_table_error(error))]) from error
    header = [cell.strip() for cell in lines[0][1]] if lines else []
    if header != HEADER:
        message = f"its first line is {','.join(header)!r}; it must be 'domain,prior'"
        raise InputError([InputProblem(f"{path}:1", "", message)])
    priors, problems = _priors(lines[1:], path)
    if not priors and not problems:
        problems = [InputProblem(path, "", "no rows; add one per domain, such as example.org,0.95")]
    if problems:
        raise InputError(problems)
    return priors


def _priors(rows: Sequence[tuple[int, list[str]]], path: str) -> tuple[dict[str, float], list[InputProblem]]:
    priors: dict[str, float] = {}
    lines: dict[str, int] = {}
    problems: list[InputProblem] = []
    for number, row in rows:
        where = f"{path}:{number}"
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(HEADER):
            message = f"{len(row)} columns; write domain,prior, as example.org,0.95"
            problems.append(InputProblem(where, "", message))
            continue
        domain, prior = _domain(row[0]), _number(row[1])
        if domain is None:
            message = f"{row[0]!r} is not a domain; write it as example.org, or * for all others"
            problems.append(InputProblem(where, "domain", message))
        if not 0.0 <= prior <= 1.0:
            problems.append(InputProblem(where, "prior", f"{row[1]!r} is not a number from 0 to 1"))
        elif domain in lines:
            message = f"{domain!r} is on line {lines[domain]} too; keep one"
            problems.append(InputProblem(where, "domain", message))
        elif domain is not None:
            priors[domain], lines[domain] = prior, number
    return priors, problems


def _domain(cell: str) -> str | None:
    from factreasoner.web.addresses import normal_domain

    try:
        return ANY if cell.strip() == ANY else normal_domain(cell)
    except ConfigError:
        return None


def _number(cell: str) -> float:
    """The number in a cell; NaN if there is none."""
    try:
        return float(cell)
    except ValueError:
        return math.nan
