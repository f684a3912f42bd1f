"""The small words of languages in Latin letters, by which `languages` tells them."""

from __future__ import annotations

#: Language -> its small words. Those that are English words, too, are left out of all but English.
SMALL_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(word for word in words.split() if len(word) > 1)
    for name, words in {
        "English": "the of and to in is that it for was as with be by on are this not or from at have has which but if then "
        "we can an so you will there their what when where how all one would been were let its than them these only must "
        "into about does no do may any our your should he she they had because since first such more each also",
        "German": "der die das in und ist nicht ein eine einen einem einer eines zu den dem des mit auf für von im sich "
        "auch es an "
        "als sind wird werden wir ich aber oder wenn dass daß kann können muss müssen nur noch nach bei aus wie durch "
        "über um "
        "hier sie er war hat haben diese dieser dieses also dann zum zur kein keine weil gibt man bereits wurde",
        "Spanish": "el la los las de que y en un una por con para es del se al lo como más su sus son está este esta "
        "esto pero si "
        "sin sobre entre cuando también ya hay ser puede pueden debe no se ha han muy porque desde cada donde todo todos nos "
        "entonces tenemos vamos fue",
        "French": "le les des du et est une un dans pour que qui sur pas ne par avec ce cette ces sont au aux il elle "
        "nous vous "
        "être plus ou mais si se sa son ses leur peut comme fait donc alors aussi été où deux ont était cela la de",
        "Italian": "il lo la le gli in di che e è un una per con non dopo stato stata nei sul sulla ogni "
        "del della dei delle nel nella al alla sono come più anche questo "
        "questa ma se si da dal dalla ha hanno essere può quindi poi abbiamo ci tra quando cui viene",
        "Portuguese": "o os as de que e do da dos das em um uma para com não por é no na nos nas se ao mais como mas "
        "são está "
        "este esta isso ser pode quando também já foi ou sua seu muito então temos você ele ela sem",
        "Dutch": "de het een en in van is dat niet te zijn op voor met die er aan als wordt worden we ook maar dit deze "
        "kan kunnen "
        "naar door bij om nog dan of uit over wij moet geen hebben heeft zo wat dus",
        "Polish": "i w na z do się nie jest że to o jak po przez dla od są ale lub za tym ten ta te który która które "
        "być może "
        "oraz gdy czy już tylko więc jeśli można bez pod przed został jeżeli kiedy każdy każda należy zamiast zawsze także "
        "również gdzie którym których którego jaki jakie jego jej ich jako tego tej tych tym przy być był była było są będzie "
        "nad aby żeby ponieważ podczas między innych ze",
        "Czech": "a v na je se že to s z do pro jako jsou by ale po za o k od nebo který která které být může pokud "
        "není když "
        "tak už jen podle při tento tato",
        "Swedish": "och att det som en på är av för med den till inte har de ett om vi kan från men eller så när var "
        "ska detta "
        "denna vara finns måste sig vid också",
        "Danish": "og at det som en på er af for med den til ikke har de et om vi kan fra men eller så når var skal "
        "dette denne "
        "være findes må sig ved også",
        "Finnish": "ja on ei että se oli ovat mutta tai kun niin joka myös ole sen jos kuin voi vain tämä näin siis "
        "nyt mukaan",
        "Turkish": "ve bir bu için ile de da olarak olan değil daha çok gibi kadar var ne ise veya ama her ya sonra "
        "en olduğu "
        "şimdi şu o",
        "Romanian": "și în de la este o un nu cu pe care pentru din mai se sunt că sau dar ca acest această fi poate "
        "dacă prin "
        "al ale lui fost",
        "Hungarian": "a az és hogy nem is egy van ez de meg csak ha mint vagy már azt még kell ezt volt lehet ki el",
        "Indonesian": "yang dan di ini itu dengan untuk tidak dari dalam adalah pada ke akan oleh juga atau kita "
        "dapat jika maka "
        "karena sebagai ada bahwa saya bisa",
        "Vietnamese": "là và của có không được các trong cho một với này những để khi ta người từ đã về ra như cũng "
        "nếu thì phải",
    }.items()
}
#: Language -> its letters that are not ASCII.
LETTERS: dict[str, frozenset[str]] = {
    name: frozenset(letters)
    for name, letters in {
        "English": "",
        "German": "äöüß",
        "Spanish": "áéíóúüñ",
        "French": "àâæçéèêëîïôœùûüÿ",
        "Italian": "àèéìîòóù",
        "Portuguese": "áâãàçéêíóôõúü",
        "Dutch": "áèéëïíóöúü",
        "Polish": "ąćęłńóśźż",
        "Czech": "áčďéěíňóřšťúůýž",
        "Swedish": "åäöéà",
        "Danish": "æøåé",
        "Finnish": "äöå",
        "Turkish": "çğıöşüâîû",
        "Romanian": "ăâîșşțţ",
        "Hungarian": "áéíóöőúüű",
        "Indonesian": "é",
    }.items()
}
#: Small word -> the languages that it may be of.
LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _name, _words in SMALL_WORDS.items():
    for _word in _words if _name == "English" else _words - SMALL_WORDS["English"]:
        LANGUAGES_OF_WORD.setdefault(_word, []).append(_name)
#: Those that are not English.
STRANGE_WORDS = frozenset(LANGUAGES_OF_WORD) - SMALL_WORDS["English"]
