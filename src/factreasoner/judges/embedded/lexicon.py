"""Closed word classes the embedded judge knows by heart: small, hand-written, readable.

Function words and negations are listed for ten languages written in Latin script; antonyms and classes of
mutually exclusive words for English only. Everything is lower case and unstemmed.
"""

from __future__ import annotations

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "a about according after again all also although am an and another any anybody anyone anything "
        "are as at be because been before being between both but by can could did do does doing during each "
        "either else even ever every for from further had has have having he her here hers herself him himself "
        "his how however i if in into is it its itself just may me might more most must my no nor not of off on "
        "one once only onto or other our out over own per quite rather same shall she should since so some "
        "somebody somehow someone something somewhere still such than that the their theirs them themselves then "
        "there these they this those though through thus to too under until up upon us very via was we well were "
        "what when where whether which while who whom whose why will with within without would yet you your 's s "
        "t d ll re ve m",
        "german": "aber alle als also am an auch auf aus bei bis das dass dem den der des die doch dort du durch ein "
        "eine einem einen einer eines er es für hat hatte ich ihr im in ist ja kann kein mit nach nicht noch nur "
        "oder ohne sehr sein seine sich sie sind so über um und uns unter vom von vor war waren was weil wenn wer "
        "werden wie wird wo wurde wurden zu zum zur zwischen",
        "french": "à au aux avec ce ces cette comme dans de des du elle elles en entre est et étaient était été eu "
        "il ils je l la le les leur leurs lui mais même ne nous on ont ou où par pas plus pour qu que qui s sa "
        "sans se sera ses si son sont sur un une vous y d c n j",
        "spanish": "a al con como cuando de del desde donde el ella ellos en entre era eran es esta este esto fue "
        "fueron ha había han hasta la las le les lo los más mi muy no nos o para pero por que qué se según ser si "
        "sin sobre son su sus también tiene un una uno y ya",
        "italian": "a ai al alla alle anche che chi ci come con da dal dalla degli dei del della delle di dove e è "
        "ed era erano essere fra fu gli ha hanno i il in io la le lo lui ma nei nel nella non o ogni per più "
        "quando quella quello questa questo se si sono stata stato su sua sue suo suoi tra un una uno",
        "portuguese": "a ao aos as até com como da das de do dos e é ela ele eles em entre era eram essa esse esta "
        "este eu foi foram há isso já mais mas me muito na nas não no nos o os ou para pela pelo por quando que "
        "quem se sem ser seu seus sobre sua suas são também tem um uma você",
        "dutch": "aan al als bij dan dat de deze die dit door een en er ging had heeft het hij hoe hun ik in is je "
        "kan maar me met na naar niet nog nu of om omdat onder ook op over te tot uit van veel voor waar wanneer "
        "waren was wat werd werden wie wij worden wordt zal ze zich zij zijn zo",
        "swedish": "att av blev då den denna det detta dig din där efter ej eller en ett från för ha hade han hans "
        "har hennes hon hur i inte jag kan man med men mot när och om på sedan sig sin sina ska som så till under "
        "upp ut var vid vilka än är över",
        "danish": "af alle at blev da de dem den denne der deres det dig en er et for fra før ham han hans har havde "
        "hun hvad hvor i ikke jeg kan man med men mod når og også om op på sig sin skal som så til ud under var "
        "ved vi være",
        "finnish": "ei eivät että hän he ja jo jos joka jonka jossa kanssa kuin kun mikä mitä mukaan mutta myös ne "
        "niin nyt oli olivat olla on ovat se sekä sen siitä sitä tai tämä vain vuonna",
    }.items()
}

NEGATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "not no never none nobody nothing neither nor nowhere without cannot cant dont doesnt didnt isnt "
        "arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt n't refuse refused refuses deny "
        "denied denies fail failed fails lack lacks lacked unable hardly rarely seldom barely false",
        "german": "nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder",
        "french": "pas jamais rien aucun aucune personne sans ni",
        "spanish": "no nunca jamás nadie nada ninguno ninguna ningún sin tampoco",
        "italian": "non mai nessuno nessuna niente nulla senza né",
        "portuguese": "não nunca jamais ninguém nada nenhum nenhuma sem nem",
        "dutch": "niet geen nooit niemand niets zonder noch",
        "swedish": "inte ej aldrig ingen inget inga utan",
        "danish": "ikke aldrig ingen intet uden",
        "finnish": "ei eivät en emme älä ilman",
    }.items()
}

ANTONYMS: tuple[tuple[str, str], ...] = tuple(
    (left, right)
    for left, _, right in (
        pair.partition("/")
        for pair in (
            "increase/decrease increased/decreased increase/reduce increased/reduced increase/decline increases/reduces "
            "rise/fall rose/fell higher/lower high/low more/less more/fewer most/least largest/smallest large/small "
            "larger/smaller big/small big/little bigger/smaller highest/lowest longest/shortest long/short "
            "longer/shorter first/last before/after early/late earlier/later older/younger oldest/youngest old/young "
            "old/new oldest/newest best/worst better/worse good/bad positive/negative gain/lose gained/lost win/lose "
            "won/lost success/failure successful/unsuccessful succeed/fail accept/reject accepted/rejected "
            "approve/reject approved/rejected support/oppose supported/opposed agree/disagree allow/forbid "
            "allowed/banned allow/ban permit/prohibit permitted/prohibited legal/illegal lawful/unlawful "
            "guilty/innocent convicted/acquitted true/false right/wrong correct/incorrect accurate/inaccurate "
            "open/close opened/closed open/shut start/end started/ended begin/end began/ended start/stop "
            "started/stopped start/finish join/leave joined/left enter/exit arrive/depart arrived/departed "
            "buy/sell bought/sold import/export north/south east/west northern/southern eastern/western "
            "northeast/southwest northwest/southeast inside/outside indoors/outdoors indoor/outdoor above/below "
            "over/under up/down left/right front/back top/bottom near/far alive/dead born/died birth/death live/die "
            "living/dead male/female man/woman men/women boy/girl boys/girls father/mother son/daughter "
            "brother/sister husband/wife king/queen uncle/aunt nephew/niece actor/actress single/married "
            "married/unmarried married/divorced marry/divorce public/private major/minor maximum/minimum "
            "majority/minority strong/weak stronger/weaker strengthen/weaken hot/cold warm/cool wet/dry heavy/light "
            "light/dark fast/slow faster/slower quick/slow safe/dangerous safe/unsafe easy/difficult easy/hard "
            "rich/poor clean/dirty full/empty happy/sad awake/asleep sitting/standing sit/stand walking/running "
            "always/never often/rarely frequently/rarely all/none everyone/nobody everything/nothing "
            "common/rare likely/unlikely possible/impossible able/unable known/unknown present/absent "
            "include/exclude included/excluded including/excluding contain/lack with/without active/inactive "
            "permanent/temporary ancient/modern urban/rural domestic/foreign internal/external direct/indirect "
            "regular/irregular formal/informal complete/incomplete dependent/independent promote/inhibit "
            "promotes/inhibits activate/inhibit activates/inhibits induce/suppress induces/suppresses "
            "enhance/impair enhances/impairs enhance/reduce improve/worsen improves/worsens cause/prevent "
            "causes/prevents benign/malignant acute/chronic upregulate/downregulate sensitive/resistant "
            "beneficial/harmful healthy/unhealthy protect/harm absence/presence ascending/descending "
            "victory/defeat winner/loser winning/losing promoted/demoted hired/fired elected/defeated "
            "appointed/dismissed resigned/appointed fiction/nonfiction fictional/real hero/villain "
            "vertical/horizontal"
        ).split()
    )
)

EXCLUSIVE: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
        "red green blue yellow black white orange purple pink brown grey gray violet",
        "american british english scottish welsh irish canadian australian french german italian spanish "
        "portuguese dutch belgian swiss austrian swedish norwegian danish finnish polish czech hungarian romanian "
        "bulgarian greek turkish russian ukrainian chinese japanese korean indian pakistani thai vietnamese "
        "indonesian filipino iranian iraqi israeli egyptian nigerian kenyan mexican brazilian argentine "
        "argentinian chilean colombian peruvian cuban",
        "america usa england scotland wales ireland canada australia france germany italy spain portugal "
        "netherlands belgium switzerland austria sweden norway denmark finland poland hungary romania bulgaria "
        "greece turkey russia ukraine china japan korea india pakistan thailand vietnam indonesia philippines "
        "iran iraq israel egypt nigeria kenya mexico brazil argentina chile colombia peru cuba",
        "first second third fourth fifth sixth seventh eighth ninth tenth last",
        "gold silver bronze",
        "spring summer autumn winter",
        "north south east west",
        "morning afternoon evening night",
        "piano guitar violin cello flute drums trumpet saxophone harp clarinet accordion banjo trombone",
        "football basketball baseball tennis golf hockey rugby cricket volleyball soccer",
        "catholic protestant muslim jewish hindu buddhist",
        "dog cat horse cow sheep goat pig bird fish",
        "breakfast lunch dinner",
        "novel film album song play poem opera",
        "bachelor master doctorate",
        "wine beer whiskey vodka coffee tea milk juice water",
        "car bus train bicycle motorcycle airplane boat truck",
        "kitchen bathroom bedroom garage garden",
        "democrat republican labour conservative",
        "hydrogen helium carbon nitrogen oxygen iron copper lead mercury",
        "mercury venus earth mars jupiter saturn uranus neptune",
    )
)

SAME: dict[str, str] = {
    word: group.split()[0]
    for group in (
        "america american americans us usa",
        "britain british uk",
        "film movie films movies",
        "begin began begun start started starts starting begins beginning commence",
        "end ended finish finished ends",
        "die died dies death dead",
        "birth born",
        "buy bought purchase purchased acquire acquired",
        "show showed shown shows",
        "write wrote written writer author",
        "win won winner wins",
        "make made makes making",
        "get got gets",
        "give gave given gives",
        "take took taken takes",
        "know known knew knows",
        "lead led leads",
        "grow grew grown grows",
        "marry married marriage wife husband spouse wed",
        "child children kids kid",
        "tv television",
        "create created found founded establish established",
        "use used uses using",
        "doctor physician",
        "drug medication medicine medications drugs medicines",
        "role roles star starred starring portray portrayed play played plays playing",
        "receive received",
        "say said says",
        "help helps helped",
        "big large",
        "work worked works working",
        "percent percentage",
        "serve served serves",
        "people person",
        "france french",
        "germany german",
        "italy italian",
        "spain spanish",
        "england english",
        "china chinese",
        "japan japanese",
        "russia russian",
        "canada canadian",
        "india indian",
        "australia australian",
        "ireland irish",
        "korea korean",
        "mexico mexican",
        "brazil brazilian",
    )
    for word in group.split()
}

NUMBER_WORDS: dict[str, float] = {
    **{
        word: float(value)
        for value, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty".split()
        )
        if word != "one"
    },
    **{
        word: 10.0 * tens
        for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)
    },
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "twice": 2.0,
    "dozen": 12.0,
}
MAGNITUDES: dict[str, float] = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "mn": 1e6,
    "bn": 1e9,
}
MONTHS: frozenset[str] = EXCLUSIVE[0]
