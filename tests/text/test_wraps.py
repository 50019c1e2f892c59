"""Wrapped lines: a paragraph says the same at every width, and what is apart stays apart."""

import re
import textwrap

import pytest

from factreasoner.text.sentences import sentences
from factreasoner.text.tags import UNSEEN
from factreasoner.text.wraps import unwrapped

BRIDGE = (
    "The Sydney Harbour Bridge was opened by Premier Jack Lang on 19 March 1932 and "
    "by King George V on 4 May "
    "1932. It carries eight lanes, two of which (the eastern ones) were tram tracks until 1958. Dr. J. J. C. "
    "Bradfield, who is known as its father, also planned the City Circle. At 134 m it is the tallest steel "
    'arch bridge. Its nickname, "The Coathanger", is well-known."'
)
PARAGRAPHS = {
    "english": BRIDGE,
    "numbers": "The report names floors 1. 2. and 3. as unsafe and says that in section 12. The "
    "cost of repairs "
    "was 4,500,000 dollars in 1998 and 5,200,000 dollars in 2001. Of 300 rooms, 12 are closed today.",
    "hyphens": "The route London - Paris - Brussels was opened in 1994 - the year of the tunnel - by Queen "
    "Elizabeth II and President Mitterrand. Trains run at 300 km/h - in France - and at 160 km/h in Kent.",
    "german": "Die Brücke wurde am 3. Oktober 1990 von Bundeskanzler Helmut Kohl und Oberbürgermeister Georg "
    "Kronawitter eröffnet. Sie ist ca. 120 Meter lang. Ihr Architekt war Dr. Max Müller aus Köln.",
    "russian": "Мост был открыт 4 мая 1932 года королём Георгом Пятым в присутствии премьера Джека Лэнга. Он "
    "имеет длину 1149 метров. Инженером был доктор Джон Брэдфилд, родившийся в Квинсленде.",
    "french": "Le pont a été inauguré le 4 mai 1932 par Jack Lang, premier ministre de "
    "Nouvelle-Galles du Sud. "
    "Il mesure 1149 mètres. John Bradfield en fut l'ingénieur principal, avec Ralph Freeman.",
    "greek": "Η γέφυρα εγκαινιάστηκε στις 4 Μαΐου 1932 από τον Τζακ Λανγκ, πρωθυπουργό της "
    "Νέας Νότιας Ουαλίας. "
    "Έχει μήκος 1149 μέτρα. Μηχανικός ήταν ο Τζον Μπράντφιλντ.",
    "semicolons": "Ada Roe was born in 1815; she wrote the first program; Charles Babbage built the "
    "machine; it "
    "was never finished. The tower has three parts (the base, which is old; the shaft; and the lamp, "
    "which was "
    'made in Paris; it is new). The river is long; however, it is not deep; "it is calm"; **it is cold**.',
    "short sentences": "The bridge opened in 1932; the tower followed in 1950; both are made of steel; "
    "neither "
    "is tall.",
    "names in brackets": "The members are Ada Roe (born 1815; died 1852), Bob Lee (born 1820; died "
    "1880), and "
    "Cy Poe (born 1830; died 1890; buried in Rome).",
    "german semicolons": "Der Turm ist alt; er wurde 1815 erbaut; Max Müller plante ihn; die Stadt bezahlte "
    "ihn. Er ist 38 m hoch; seine Lampe ist neu.",
    "french semicolons": "La tour est vieille ; elle fut construite en 1815 ; Ada Roe la dessina ; la "
    "ville la "
    "paya. Elle mesure 38 m ; sa lampe est neuve.",
    "russian semicolons": "Башня стара; она построена в 1815 году; Анна Роу спроектировала её; город "
    "заплатил. "
    "Её высота 38 м; лампа новая.",
    "arabic": "افتتح الجسر في الرابع من مايو عام 1932 بحضور رئيس الوزراء جاك لانغ. يبلغ طوله 1149 مترا. كان "
    "المهندس جون برادفيلد من كوينزلاند. هل هو الأطول؟ نعم هو الأطول في البلاد.",
    "hindi": "यह पुल 4 मई 1932 को प्रधानमंत्री जैक लैंग ने खोला था। इसकी लंबाई 1149 मीटर है। "
    "इसके इंजीनियर जॉन "
    "ब्रैडफील्ड थे जो क्वींसलैंड के रहने वाले थे।",
    "chinese": "悉尼海港大桥于1932年3月19日由州长杰克·兰正式开通，全长1149米，是世界"
    "上最高的钢拱桥之一。大桥的总设计师是约翰·布拉德菲尔德博士，他"
    "出生于昆士兰州。这座桥有八条车道。每天约有十六万辆汽车通过。",
    "japanese": "シドニー・ハーバーブリッジは1932年3月19日に開通した、全長1149メートル"
    "のアーチ橋である。設計者はジョン・ブラッドフィールド博士である。八つの車線がある"
    "。",
    "korean": "시드니 하버 브리지는 1932년 3월 19일에 개통된 길이 1149미터의"
    " 아치교이다. 설계자는 존 브래드필드 박사이다. 차선은 여덟 개이다.",
    "thai": "สะพานเปิดใช้เมื่อวันที่ 19 มีนาคม 1932 โดยนายกรัฐมนตรี แจ็ก แลง และมีความยาว "
    "1149 เมตร. วิศวกรคือ จอห์น แบรดฟิลด์ จากรัฐควีนส์แลนด์.",
}
LAYOUTS = [
    ("", ""),
    ("- ", "  "),
    ("- ", ""),
    ("2. ", "   "),
    ("> ", "> "),
    ("    ", "    "),
    ("[^1]: ", "    "),
]


def said(text):
    """The sentences of a text, each on one line."""
    read = unwrapped(text)
    return [" ".join(read[start:end].replace(UNSEEN, "").split()) for start, end in sentences(text)]


@pytest.mark.parametrize("name", PARAGRAPHS)
@pytest.mark.parametrize(("first", "later"), LAYOUTS)
def test_wrapped_paragraph_reads_as_unwrapped(name, first, later):
    paragraph = PARAGRAPHS[name]
    for width in range(30, 101):
        wrapped = textwrap.fill(paragraph, width, initial_indent=first, subsequent_indent=later)
        assert said(wrapped) == said(first + paragraph), width


@pytest.mark.parametrize("width", range(30, 101, 5))
def test_wrapped_answer_keeps_its_items_and_headings(width):
    parts = ["# The bridge", BRIDGE, "It has four parts:", "- " + PARAGRAPHS["hyphens"], "- An arch", BRIDGE]
    wrapped = "\n\n".join(textwrap.fill(part, width) for part in parts)
    assert said(wrapped) == said("\n\n".join(parts))
    assert unwrapped(wrapped).count("\n") == 2 * (len(parts) - 1)


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was opened in Sydney by King\nGeorge V on 4 May 1932.",
        "The first lighthouse here was built in\n1871 and rebuilt by the town.",
        "The bridge was opened by Jack Lang on\n19 March 1932 in front of many\nAustralians.",
        "It was designed by the engineer Dr.\nJohn Bradfield of Queensland.",
        "The tower has a café, a museum, a\n(small) shop and a view.",
        "The tower was closed in the year [1]\n[2]. It has since been opened.",
        "The longest river of the country is the\nMissouri River.",
        "The CEO (Chief\nExecutive Officer), COO (Chief\nOperating Officer) and CFO are paid well",
        "Er sprach in Rom mit der\nKönigin von England",
        "Elle est née à Paris et\nAda aussi",
        "The tower is old;\nit is tall.",
    ],
)
def test_short_paragraph_is_joined(text):
    assert said(text) == said(text.replace("\n", " "))


@pytest.mark.parametrize(
    "text",
    [
        "Sydney Opera House Trust Limited\nBennelong Point, Macquarie Street\nSydney NSW 2000, Australia",
        "Name: Ada Lovelace, Countess\nBorn: 10 December 1815, London\nDied: 27 November 1852, Marylebone.",
        "Opening hours: Monday to Friday\nPrice: 5 euros for all visitors.",
        "Shall I compare thee to a summer's day,\nThou art more lovely and more temperate,\n"
        "Rough winds do shake the darling buds,\nAnd summer's lease hath all too short a date.",
        "George Washington (1789-1797)\nJohn Adams (1797-1801)\nThomas Jefferson (1801-1809)",
        "2 cups of flour, sifted and dried\n1 cup of sugar, white or brown one\n3 eggs "
        "from free-range chickens",
        "Apples\nBananas\nStrawberries",
        "Apples;\nPears;\nPlums.",
        "- red apples;\n- green pears;\n- blue plums",
        "1. wash the car well;\n2. dry the car well;\n3. go",
        "The tower has:\n- an old base;\n- a shaft;\n- a lamp.",
        "History of the Sydney Harbour Bridge\nThe bridge was opened on 19 March 1932.",
        "- Salt and pepper from the new shop\n- Oil of olives or of sunflowers\n- Bread",
        "1. Mix the flour and the sugar well\n2. Add the eggs and some milk to it\n3. Bake",
        "苹果和香蕉\n牛奶和鸡蛋\n面包",
        "Berlin, Hauptstadt Deutschlands\nParis, Hauptstadt Frankreichs\nRom, Hauptstadt Italiens",
        "**History of the bridge and town**\nKing George V opened it in 1932.",
    ],
)
def test_lines_that_are_apart_stay_apart(text):
    assert unwrapped(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The dose for an adult of 70 kg should be\n40. Children get half.",
        "* Maximal dose for an adult of 70 kg:\n  40. Children get half.\n* Never take two at once.",
        "1. The legal age for buying beer here is\n21. In other states it is 18.",
        "- The legal age for buying beer here is\n  21. In other states it is 18.",
        "The legal age for buying beer here is\n**21**. In other states it is 18.",
        "The final score of the match was 3 to\n2. The game ended at nine.",
        "The final score of the match was 3 to\n1. The game ended at nine.\n1. One came.\n2. Two left.",
        "1. The final score of the match was 3 to\n2. The game ended at nine.\n2. Two left.",
        "Ada played here. The final score was no more than two and\n1. The game ended.",
        "Mozart wrote his Piano Concerto No.\n21. It is in C major.",
        "1. Mozart wrote his Piano Concerto No.\n2. It is in B flat.",
        "Die Schlacht von Leipzig begann am\n16. Oktober 1813 und dauerte vier Tage.",
        "Die Schlacht begann am Freitag, dem\n3. Mai, um acht Uhr.",
        "He scored for the club from 1998 until\n2003. In all he made 80 goals, the last on\n4. June.",
        "Król urodził się\n16. października 1813 r. w Krakowie.",
        "La edad mínima para comprar cerveza es de\n18. En otros países es 16.",
        "L'âge légal pour acheter de la bière est\n16. Il est plus haut ailleurs.",
        "Возраст покупателя должен быть не менее\n18. Это закон.",
        "Matchen slutade 3 mot\n2. Det var kallt.",
        "The adult dose is 2 tablets (see sec.\n4) and must not be exceeded.",
        "One part allows it and part\n(b) bans the tax while part\n(c) allows it.",
        "One rule says that part\n(a) bans the tax while part\n(b) allows it.",
        "The treaty of 1919 ended World War\n1. The one of 1947 ended World War\n2. Both are long.",
        "Many people take vitamin\nc. It helps.",
        "The vote (see p.\n14) was final.",
        "The ratio of one to the other is 4:\n1. It is high.",
    ],
)
def test_number_of_a_sentence_marks_no_item(text):
    joined = re.sub(r"\n\s*(?=\W*(?:(?![12]\. (?:One|Two) )\d|[a-c]\)|c\.))", " ", text)
    assert said(text) == said(joined)
    assert "".join(filter(str.isdigit, "".join(said(text)))) == "".join(
        filter(str.isdigit, re.sub(r"^1\. (?!One)|\n[12]\. (?=One|Two)", "", text))
    )


NUMBERS = [
    "Mary W. Shelley wrote Frankenstein at the age of 18. The novel was published in 1818 and sold well.",
    "Der Bau begann am 15. August 1248 in Köln. Er endete erst am 15. Oktober 1880, nach langen Jahren.",
    "The vote (see p. 14) was final. It was held in 1923 and again in 1945 after the war.",
    "The dose for an adult should be 40. Children get half. Never take 2, and see sec. 4 if in doubt.",
    "The law says in part (a) that cars pay tax, in part (b) that vans pay 12. In (c) bikes pay 1. So it is.",
    "El precio era de 30. La entrada es gratis los lunes hasta las 9. Los niños pagan 2. El museo cierra.",
]


@pytest.mark.parametrize("paragraph", NUMBERS)
@pytest.mark.parametrize(("first", "later"), [*LAYOUTS, ("1. ", "   "), ("1. ", ""), ("* ", "  ")])
def test_numbers_stay_in_sentences_at_every_width(paragraph, first, later):
    for tail in ("", "\n1. Bring salt.\n2. Bring oil."):
        for width in range(25, 101):
            wrapped = textwrap.fill(paragraph, width, initial_indent=first, subsequent_indent=later)
            assert said(wrapped + tail) == said(first + paragraph + tail), width


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Steps to take\n1. wash the car\n2. dry it\n3. go", "Steps to take|wash the car|dry it|go"),
        ("Here are things to look for\n1. wood\n2. iron", "Here are things to look for|wood|iron"),
        ("The steps are\n1. Find where it is\n2. Go", "The steps are|Find where it is|Go"),
        ("1. Who it is for\n2. What it is for\n3. An end", "Who it is for|What it is for|An end"),
        ("1. Rome is in Italy\n2. Bern is in\nSwitzerland", "Rome is in Italy|Bern is in Switzerland"),
        ("- Rome is in Italy\n- Bern is in\nSwitzerland", "Rome is in Italy|Bern is in Switzerland"),
        ("10. Salt\n9. Oil\n8. Bread", "Salt|Oil|Bread"),
        ("1. Salt\n1. Oil\n1. Bread", "Salt|Oil|Bread"),
        ("It needs:\n5. Salt\n6. Oil", "It needs:|Salt|Oil"),
        (" 9. Salt\n10. Oil\n11. Bread", "Salt|Oil|Bread"),
        ("1. Salt\n2. Oil\n\nThe rest is this.\n\n3. Bread", "Salt|Oil|The rest is this.|Bread"),
        ("1. Log in:\n\nrun login\n2. Wait", "Log in:|run login|Wait"),
        ("1. It has:\n   1. Salt\n   2. Oil\n2. It is old", "It has:|Salt|Oil|It is old"),
        (
            "It has:\n(i) a base\n(ii) a shaft\n(iii) a lamp\n(iv) a roof",
            "It has:|a base|a shaft|a lamp|a roof",
        ),
        ("塔有:\n一、灯\n二、门\n三、桥", "塔有:|灯|门|桥"),
        ("Which is it?\nA) Rome\nB) Oslo", "Which is it?|Rome|Oslo"),
        ("- Salt\na) Oil\nb) Bread", "Salt|Oil|Bread"),
        ("It has:\n1. an old part\n2. a new part\n3. a lamp", "It has:|an old part|a new part|a lamp"),
        ("It is cold.\n\n2. It is wet.", "It is cold.|It is wet."),
        ("16. Oktober 1813 in Leipzig", "16. Oktober 1813 in Leipzig"),
        ("42. Ada said so.", "42. Ada said so."),
    ],
)
def test_items_of_lists_stay_items(text, found):
    assert said(text) == found.split("|")


def test_one_long_line_sets_no_width():
    text = (
        "See the page of the town for more\nhttps://example.org/"
        + "a" * 90
        + "\nand the book on the town by King\nJames."
    )
    assert "\n" not in unwrapped(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It is a very well-\nknown old bridge.", "It is a very well-known old bridge."),
        ("In pre-\nand post-war times it stood.", "In pre- and post-war times it stood."),
        (
            "这座大桥于1932年由州长杰克兰\n正式开通并投入使用。",
            "这座大桥于1932年由州长杰克兰正式开通并投入使用。",
        ),
    ],
)
def test_words_across_lines_are_put_together(text, read):
    assert said(text) == [read]


def test_spans_of_wrapped_sentences_are_verbatim():
    wrapped = textwrap.fill(BRIDGE, 40)
    parts = [wrapped[start:end] for start, end in sentences(wrapped)]
    assert "\n" in parts[0]
    assert re.sub(r"\s+", " ", " ".join(parts)) == re.sub(r"\s+", " ", wrapped)
