"""The whole names of persons that a response has named so far, and what is known of their gender."""

from __future__ import annotations

from factreasoner.atoms.mentions import Mention
from factreasoner.text.persons import Gender


class KnownNames:
    """Names learnt from the topic of a response and from its sentences."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.genders: dict[str, Gender] = {}
        self._wholes: dict[str, str] = {}
        if topic:
            self._learn(topic)

    def by_last(self) -> dict[str, str]:
        """Last name -> the one whole name of a person that ends with it."""
        persons = {*self.genders, self.topic}
        return {
            last: whole
            for last, whole in self._wholes.items()
            if whole in persons and whole.endswith(" " + last)
        }

    def known(self, mention: Mention) -> Mention:
        """The mention under its whole name, with what is known of its gender."""
        if not mention.proper or mention.kind not in ("person", "name"):
            return mention
        if " " in mention.name:
            self._learn(mention.name)
        whole = self._wholes.get(mention.name) or mention.name
        gender = self.genders.get(whole) or mention.gender
        if gender:
            self.genders[whole] = gender
        return mention._replace(
            name=whole, gender=gender, kind="person" if gender or whole == self.topic else mention.kind
        )

    def _learn(self, name: str) -> None:
        parts = name.split()
        if 2 <= len(parts) <= 4 and all(part[0].isupper() for part in parts):
            for part in (parts[-1], parts[0]):
                known = self._wholes.get(part, name)
                self._wholes[part] = name if known == name else ""
