"""Loading of parsers, their errors, and the parse itself."""

import threading

import pytest

from factreasoner.text import parsing
from factreasoner.text.parsing import describe_parser, find_parser


def parsed(text):
    (parse,) = find_parser().parse([text])
    return parse


def test_parse_is_a_tree_of_words():
    text = "Ada wrote notes in London."
    parse = parsed(text)
    assert [text[word.start : word.end] for word in parse.words] == [word.text for word in parse.words]
    assert parse.root.text == "wrote"
    assert parse.root.subject.text == "Ada"
    assert parse.root.is_clause
    assert (parse.root.first, parse.root.last) == (0, len(parse.words) - 1)
    place = next(word for word in parse.words if word.text == "London")
    assert [word.text for word in place.above()] == ["in", "wrote"]
    below = [word for child in parse.root.children for word in child.subtree()]
    assert {word.i for word in below} == {word.i for word in parse.words if word is not parse.root}


def test_overlong_sentences_have_no_parse():
    assert sum(word.head is word for word in parsed("He left. She stayed. It rained.").words) == 1
    assert find_parser().parse(["", "  ", "word " * 1000]) == [None, None, None]


def test_parser_is_loaded_once_for_all_threads():
    texts = [f"Ada wrote {count} notes and he read {count + 1} books." for count in range(10)]
    expected = [word.dep for text in texts for word in parsed(text).words]
    found = []

    def work():
        parser = find_parser()
        assert parser is find_parser()
        parser.known.clear()
        found.append([word.dep for parse in parser.parse(texts) if parse for word in parse.words])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_installed_parser_is_looked_up_once(monkeypatch):
    first = find_parser()
    monkeypatch.setattr("importlib.util.find_spec", None)
    assert find_parser() is first


def test_parser_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(parsing, "_KEPT", 12)
    parser = find_parser()
    parser.parse([f"Note {count}." for count in range(20)])
    assert len(parser.known) <= 12


@pytest.mark.parametrize("missing", ["spacy", "en_core_web_"])
def test_without_an_installed_pipeline_there_is_no_parser(monkeypatch, missing):
    monkeypatch.setattr(parsing, "_is_installed", lambda module: not module.startswith(missing))
    assert find_parser() is describe_parser() is None


def test_hyphenated_prefix_belongs_to_its_word():
    text = "She co-founded a well-known lab in the Franco-Prussian war and re-opened it - twice."
    parse = parsed(text)
    joined = {word.text for word in parse.words if "-" in word.text}
    assert joined == {"co-founded", "re-opened", "-"}
    assert parse.text == text
