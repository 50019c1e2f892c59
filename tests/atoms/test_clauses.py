"""Sentences split by their parse; every expected atom was written by hand."""

import pytest

from factreasoner.atoms.embedded import EmbeddedAtomizer
from factreasoner.models import Record

SPLIT = {
    "Ada was born in 1815 and wrote notes.": ["Ada was born in 1815.", "Ada wrote notes."],
    "Ada is a writer, a composer and a painter.": [
        "Ada is a writer.",
        "Ada is a composer.",
        "Ada is a painter.",
    ],
    "The band released a film, singles and videos.": [
        "The band released a film.",
        "The band released singles.",
        "The band released videos.",
    ],
    "The band toured Norway, Sweden, and Denmark.": [
        "The band toured Norway.",
        "The band toured Sweden.",
        "The band toured Denmark.",
    ],
    "Ann Lee founded the Globe, a newspaper in Lom, and died in 1930.": [
        "Ann Lee founded the Globe.",
        "The Globe was a newspaper in Lom.",
        "Ann Lee died in 1930.",
    ],
    "She did not win the race and retired in 1990.": ["She did not win the race.", "She retired in 1990."],
    "The council didn't meet and was dissolved.": ["The council didn't meet.", "The council was dissolved."],
    "The bridge can be built and has been planned.": [
        "The bridge can be built.",
        "The bridge has been planned.",
    ],
    "Jo is an actor who was born in Madrid.": ["Jo is an actor.", "Jo was born in Madrid."],
    "Jo is an actor born on 3 May 1949 in Madrid.": [
        "Jo is an actor.",
        "Jo was born on 3 May 1949 in Madrid.",
    ],
    "A sieve is a tool used by cooks.": ["A sieve is a tool.", "A sieve is used by cooks."],
    "Ada praised the engine, which was never built.": [
        "Ada praised the engine.",
        "The engine was never built.",
    ],
    "Ada Lovelace, an English mathematician, wrote notes.": [
        "Ada Lovelace wrote notes.",
        "Ada Lovelace was an English mathematician.",
    ],
    "He acted in films such as “Ran” and “Ikiru.”": [
        "He acted in films such as “Ran”.",
        "He acted in films such as “Ikiru”.",
    ],
    "He drank hemlock.\u200b The fish died.": ["He drank hemlock.", "The fish died."],
    "The chairman called the deal “a bad merger.” and left the room.": [
        "The chairman called the deal “a bad merger.”",
        "The chairman left the room.",
    ],
    "Ada Berg was a Swedish chemist who worked on the making of polymer, dyes and glue.": [
        "Ada Berg was a Swedish chemist.",
        "Ada Berg worked on the making of polymer, dyes and glue.",
    ],
    "Sofia Krag was a Russian chemist who made lasting contributions to analysis, geometry and mechanics.": [
        "Sofia Krag was a Russian chemist.",
        "Sofia Krag made lasting contributions to analysis, geometry and mechanics.",
    ],
    "The clerk will file the forms and set a court date.": [
        "The clerk will file the forms.",
        "The clerk will set a court date.",
    ],
    "She moved to Paris, which was then the center of art.": [
        "She moved to Paris.",
        "Paris was then the center of art.",
    ],
}
WHOLE = [
    "In Norland, the court uses a formula for short grants, but the court has more freedom for long ones.",
    "As the width of the network grows, the loss is reduced, and the classical curve is not observed.",
    "The service is managed by the Office of Support of the Administration for Children and Families.",
    "He was arrested and imprisoned.",
    "Each stack lasts for 30 minutes, but the timer resets to 30 minutes each time a new stack is gained.",
    "It refers to the connection itself, including the state of being tied, the way it is tied, and more.",
    "Ada worked as a curator at the Museum of Lom, where her research on nerves earned her a doctorate.",
    "Jo devoted himself to the League, following his appointment as High Commissioner.",
    "A pump moves heat: a refrigerant picks up warmth outdoors, is compressed, and gives it off indoors.",
    "Kit is a managed offering that provides powerful tools, an easy experience, and built-in security.",
    "Tucker decomposition was used to compress layers in [3].",
    "She has focused on directing and producing plays.",
    "The ship was old, and it sank in 1912.",
    "The company sold its subsidiary, and it went bankrupt.",
    "Ada is a poet who critics say wrote well.",
    "The winter is cold; the summer is short.",
    "She wrote novels as well as poems.",
    "Copper is reactive, so it displaces iron.",
    "Giant planets, such as Jupiter and Saturn, rotate faster than small planets, such as Earth and Mars.",
    "Gold is a noble metal, meaning it is resistant to acids.",
    "If gold is pure, it is soft, meaning that it bends.",
    "The survey covers all cells, providing a higher resolution.",
    "The company closed ten shops, resulting in unrest.",
    "Sourcers, on the other hand, focus on finding and attracting candidates.",
    "Rate design allows for pricing reflecting the cost of providing the power and promotes efficiency.",
    "Kubernetes users must protect the components in your cluster, your data, and app deployments.",
    "Ada and Charles met in 1833.",
    "The pass lies between Norway and Sweden.",
    "Funds need less risk and effort than stocks.",
    "The fruit is red or green.",
    "Neither Oslo nor Bergen was bombed.",
    "Ada and her sister are twins.",
    "The house was burned or looted.",
    "The council sold the land or leased it.",
    "The site may sell data or share it.",
    "He came to Lund, and sold or leased the house.",
    "The bridge was not repaired or painted.",
    "The inmates had not yet been tried or convicted.",
    "He was not tried and convicted.",
    "The lake never froze or dried up.",
    "He hardly ate or slept.",
    "The site does not store data, sell it, or share it.",
    "It might have been used, or have been issued without gum.",
    "Ming Zhou is a manager at Baidu, where he leads a team focused on speech, vision, and language.",
    "He studied at Jena, where he met Schiller.",
    "She moved to Paris, where she earned a degree.",
    "The people who live there fish.",
    "Elsa is married to Australian actor Chris Hemsworth.",
    "She moved to Rome, working as a model.",
    "The 12-inch MacBook was slow.",
    "The rules came into force “at once, without delay” in May.",
    "If it rains, the road is closed.",
    "He did not sell the house in 1990 for money.",
    "He said that Oslo was cold.",
    "The first man who flew was Orville.",
    "The products are a solution of salt and iron.",
    "They publish limited edition and collectible works.",
    "He won prizes for his research, including the Turing Memorial Prize in Computer Sciences in 1999.",
    "The U-boat was armed with four 50cm torpedo tubes and a deck gun.",
    "She designed and built the engine.",
    "Solar houses can continue to operate and provide a safe home.",
    "Only members with a key can decrypt and access the content of the file.",
    "You will need to update the tool to version 1, and update any code that calls it.",
    "You can free space by adding or deleting storage to and from a cluster.",
    "The signs, such as lt, eq, and ne, stand for less, equal, and unequal, respectively.",
    "A fund is a security that tracks an index, a commodity, bonds, or a basket of assets.",
    "You can grant a role to a user or a service ID.",
    "Tesla was founded by Martin Eberhard and Marc Tarpenning in 2003.",
    "Google was founded by Larry Page and Sergey Brin, who met at Stanford.",
    "If you press A, the light goes out, and the fan stops.",
    "Ibuprofen reduces swelling, but acetaminophen does not.",
    "Renting offers flexibility and shifts the ownership risk to the landlord.",
    "The key is patience and staying invested through market cycles.",
    "These efforts contribute to the fight against climate change and the loss of trees.",
    "There are several good pills that can help with a cold.",
    "Critics praised the album, calling it “a triumph.”",
    "Ada was born in Rome, the second of three children of Otto Falk, a general of artillery.",
    "The wife of Jan Ek, a baker, died in 1900.",
    "The drug can have side effects and interactions with other drugs.",
    "The figures are for Germany and date from 2019.",
    "The force is perpendicular to both the direction of the velocity and the field lines.",
    "The address comes from a bitwise AND operation between the address and the mask.",
    "The order will say how much must be paid, as well as how often it must be paid.",
    "It supports phrases by using quotation marks, which boosts the results.",
    "The valley has cities such as Troy and Albany, the capital of the state.",
    "The galaxy is vast, so even a small number of new stars added each year can add up quickly.",
    "C# is meant to be simple, powerful, and object-oriented, with features such as type safety.",
    "Chile is a country in South America, with a long coast.",
    "The market grew, with most sales rising in spring.",
    "It is hard to say, with no data at hand.",
    "She wrote the novels Emma and Persuasion.",
    "The road runs between the cities Rome and Naples.",
    "The gas giants, such as Jupiter and Saturn, spin fast because they are heavy.",
    'Tides is an album, featuring the songs "Rain" and "Dust".',
    "The inn lies on the N2 road which leads to Lima.",
    "The buff is lost if the player changes any skills, leaves the game, or switches acts.",
    "The method uses pairs as positive examples and text from other pairs as negative examples.",
    "In areas with high demand and limited supply, prices tend to rise.",
    "The band sold records and shirts in Norway.",
    "There are two systems, LTE and GSM.",
    "Not only did Roe cross Greenland, but he also won the prize.",
    "Berlin is larger than Hamburg and older.",
    "5G is faster and has lower latency than LTE.",
    "She was the first woman and the youngest person to win the prize.",
    "The council had to repeal the rule, which it did in May 1988.",
    "Losses are put at 600 by Roe himself and at 1,100 by modern historians.",
    "IBM has a master, which Roe owns and runs.",
    "The proof rests on the recursive nature of the function and the distributive property of exponents.",
    "They built a bridge across a river, which was completed in 1900.",
    "He is a member of the House of Lords and the House of Commons.",
    "Noise and light can disrupt sleep, so make sure the room is dark and quiet.",
    "Exercise can improve sleep, but avoid training late.",
    "Eventually, the owner pays off the mortgage and lives rent-free.",
    "Cold, cold, cold!",
    "This creates a straight line and the cursor moves the same distance on every frame.",
    "Alimony is a payment made by a spouse with a higher income.",
    "If we use the Largest Stream measurement, the Ohio River, and by extension the Allegheny River would be "
    "the source, and the Mississippi would begin in Pennsylvania.",
    "Then, you can delete the old cluster.",
]


def split(text):
    return [atom.text for atom in EmbeddedAtomizer().atomize(Record(id="r", response=text)).atoms]


@pytest.mark.parametrize("text", SPLIT)
def test_a_sentence_becomes_these_atoms(text):
    assert split(text) == SPLIT[text]


@pytest.mark.parametrize("text", WHOLE)
def test_a_sentence_stays_whole(text):
    assert split(text) == [text]


def test_a_parenthesis_stands_in_the_first_atom_that_has_its_place():
    text = "Ada Lovelace (of London) wrote notes and translated a paper."
    atoms = EmbeddedAtomizer().atomize(Record(id="r", response=text)).atoms
    assert [atom.text for atom in atoms] == [
        "Ada Lovelace (of London) wrote notes.",
        "Ada Lovelace translated a paper.",
    ]


def test_each_atom_has_the_place_of_its_own_clause():
    text = "Ada was born in 1815 and wrote notes, which appeared in 1843."
    atoms = EmbeddedAtomizer().atomize(Record(id="r", response=text)).atoms
    assert [text[slice(*atom.span)] for atom in atoms if atom.span] == [
        "Ada was born in 1815",
        "wrote notes",
        "appeared in 1843",
    ]
