"""Words that tell whether somebody is a man or a woman: first names, kinship, titles, professions."""

from __future__ import annotations

from typing import Literal

from factreasoner.text.abbreviations import words

Gender = Literal["male", "female"]

_MALE_NAMES = words(
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew",
    "anthony donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason",
    "jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel",
    "gregory frank alexander raymond patrick jack dennis jerry aaron jose adam nathan henry douglas",
    "zachary peter walter ethan jeremy harold keith roger noah gerald carl arthur lawrence bryan joe",
    "bruce albert gabriel alan juan wayne ralph eugene vincent russell elijah louis philip pierre jacques",
    "henri françois antoine étienne hans friedrich johann wilhelm karl otto ludwig heinrich wolfgang",
    "georg antonio giovanni giuseppe carlos luis miguel pedro pablo fernando javier diego ivan vladimir",
    "dmitri sergei nikolai mikhail boris igor ahmed mohammed muhammad hassan omar ibrahim isaac abraham",
    "leonardo galileo marco niels erwin werner enrico ernest winston franklin theodore barack hugo oscar",
    "victor felix oliver harry simon neil edgar hector lars erik bjorn anders tim steve bill tom bob jim",
    "mike dan ben sam max fred ted doug tony jeff greg",
)
_FEMALE_NAMES = words(
    "mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra",
    "margaret kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura",
    "cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole anna samantha katherine",
    "christine debra rachel carolyn janet catherine maria heather diane ruth julie olivia joyce lauren",
    "christina joan evelyn judith hannah megan cheryl jacqueline martha gloria teresa ann anne sara",
    "frances kathryn janice abigail alice julia judy sophia grace denise doris marilyn danielle beverly",
    "isabella theresa diana natalie charlotte marie ada jane elsa rosa rosalind florence irene lise",
    "ingrid greta astrid simone claire hélène margot chloe agatha emmeline harriet josephine eleanor",
    "hillary kamala indira benazir malala frida clara lucy helen ellen eva nina olga irina natasha fatima",
    "aisha isabel isabelle caroline edith emmy hedy luci vera",
)
_MALE_NOUNS = words(
    "husband father son brother uncle nephew grandfather grandson boyfriend widower king prince duke",
    "emperor actor priest monk man boy gentleman lord sir mr businessman chairman waiter stepfather",
    "stepson groom count baron bishop pope father-in-law son-in-law brother-in-law fiancé sultan tsar",
    "policeman salesman",
)
_FEMALE_NOUNS = words(
    "wife mother daughter sister aunt niece grandmother granddaughter girlfriend widow queen princess",
    "duchess empress actress nun woman girl lady mrs ms miss madam businesswoman chairwoman waitress",
    "stepmother stepdaughter bride countess baroness heroine hostess goddess mother-in-law",
    "daughter-in-law fiancée tsarina",
)
_PERSONS = words(
    "person friend child parent cousin spouse partner colleague scientist author writer singer artist",
    "musician president minister politician lawyer doctor physician nurse teacher professor student",
    "researcher engineer director producer composer poet novelist painter philosopher mathematician",
    "physicist chemist biologist economist historian journalist general admiral captain soldier officer",
    "leader founder inventor explorer architect athlete player coach star model judge justice senator",
    "governor mayor chancellor ambassador secretary chief scholar lecturer dancer comedian critic editor",
    "photographer designer pilot astronaut character baby victim hero villain twin sibling neighbor",
    "neighbour boss employer mentor assistant anthropologist linguist pianist violinist guitarist cellist",
    "dentist surgeon farmer baker carpenter librarian astronomer clockmaker activist entrepreneur",
    "executive commissioner owner manager chair chairperson follower ruler",
    "polymath laureate prodigy virtuoso diplomat humanitarian historian theologian veterinarian feminist",
    "rapper drummer conductor sculptor playwright translator broadcaster presenter announcer narrator",
    "swimmer runner cyclist skier skater wrestler boxer jockey golfer gymnast sprinter cricketer goalkeeper",
    "striker midfielder quarterback referee umpire trainer champion medalist medallist contestant",
    "preacher pastor rabbi imam cleric missionary saint martyr abbot deacon hermit",
    "detective spy prosecutor attorney solicitor barrister magistrate juror sheriff sergeant lieutenant",
    "colonel commander marshal sailor navigator aviator pioneer mountaineer volunteer refugee",
    "philanthropist financier banker trader merchant investor tycoon magnate industrialist",
    "carpenter blacksmith goldsmith shoemaker tailor weaver potter cook chef butcher brewer barber",
    "reformer dissident rebel revolutionary suffragette abolitionist campaigner advocate lobbyist",
    "analyst consultant adviser advisor programmer developer statistician geneticist botanist zoologist",
    "interpreter curator archivist collector dealer farmer gardener hunter fisherman ranger",
)
_UNCERTAIN = frozenset({"actor", "star", "model", "chair", "chief", "general"})
"""Persons of either gender, or no persons at all, in some texts."""


def gender_of_noun(lemma: str) -> Gender | None:
    """Whether a common noun or title names a man or a woman."""
    if lemma in _FEMALE_NOUNS:
        return "female"
    return "male" if lemma in _MALE_NOUNS and lemma not in _UNCERTAIN else None


def gender_of_name(name: str) -> Gender | None:
    """What a first name or a title in front of a name says."""
    first = name.split()[0].lower().strip(".") if name.split() else ""
    if first in _FEMALE_NAMES or first in _FEMALE_NOUNS:
        return "female"
    return "male" if first in _MALE_NAMES or first in _MALE_NOUNS else None


def is_person(lemma: str) -> bool:
    """Whether a common noun names somebody."""
    known = lemma in _PERSONS or lemma in _MALE_NOUNS or lemma in _FEMALE_NOUNS
    return known or lemma.endswith(
        ("ologist", "ician", "grapher", "woman", "sman", "ographer", "keeper", "maker", "player", "writer")
    )
