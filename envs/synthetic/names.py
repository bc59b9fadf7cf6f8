"""Invented proper names, so that nothing of the world can be known before it is read.

A name word belongs to exactly one split by the sum of its code points, so no entity, and hence no fact, occurs in two
splits, whatever tables or scripts it was built from.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from ..numbered import SPLITS
from .dice import Dice

_LATIN: dict[str, tuple[str, str]] = {
    "first": (
        "Ad Ael Bel Bri Cas Cori Dal Del Edi El Fen Fio Gal Gre Hal Hes Ila Ior Jas Jul Kal Kéi Lau Lio Mar Miri Nad"
        " Nol Ola Oré Per Pia Quin Ras Rosa Sel Sól Tam Tiv Ulla Vero Vin Wil Xan Ysa Zel Zor Ása",
        "an ana ek el ena eth ia iel ika in ina io is ita mar na nor on ora ric ran ssa te ven via wen win yn zo él",
    ),
    "last": (
        "Abar Ashk Bald Berq Brusk Calv Cors Dolm Dren Ebers Eld Farn Fjord Garr Gosl Hald Harv Hols Ilv Ings Jarr"
        " Kald Kerr Korv Land Lest Lomb Mald Merr Møll Narv Nest Obar Orl Pask Pell Quar Rask Ridd Rond Sabl Skar"
        " Sund Tarn Thorv Tull Ulm Urq Vald Varg Vest Wald Wex Yarr Zell Zimr",
        "ado aker all amo anti ard arez ati berg by dahl dóttir eau ec eld elli en ero ers esk ett ez guard ham hoff"
        " ic idge ini ins ivar lund mann mere ova quist rud sen ski sson strom ulis wick",
    ),
    "city": (
        "Ambr Arv Bel Bor Brack Cald Cor Dor Drav Els Esk Fal Fost Gel Gran Hav Hol Ist Jov Kal Kest Lan Lor Mal Mirr"
        " Nov Nys Ob Ost Pal Pren Quell Rav Ros Sal Stav Tel Tor Ul Val Ver Vin Wal Wes Yel Zar",
        "acre ander anza barrow borg bourne castre dale dorf élan enna essa eth feld ford gate grad haven holm ington"
        " ioux itza kirk mar mouth nik ona ora osk port rica stad ton um ville wold",
    ),
    "country": (
        "Aldr Belv Cath Dorn Estr Falk Gord Hest Ilm Jast Kord Lest Mord Norv Orth Pelt Quor Rast Solv Tarn Ulst Vand"
        " Wend Yst Zamb",
        "ania aria avia egal ela emia enia eria esh istan onia oria ovia urra usia ymia",
    ),
    "house": (
        "Arc Bex Brel Cind Corv Dax Drell Ekt Fenn Fulc Glyn Grax Hel Hux Ixt Jun Kest Kob Lark Lux Mav Merc Nim Nyx"
        " Orb Oxl Pax Pell Quil Rhin Rook Sard Sten Tamb Tess Umb Vant Vox Wyr Xer Yor Zeph",
        "a al and ane ar ast ax ea ell en er era eth ex ia ian ica ine io is ium on or ora os um us yx",
    ),
    "money": ("Bar Cro Dal Flo Gul Kar Lir Mar Nor Pel Ril Sol Tal Vel Zan", "an aro eck en ent ian in ka kel na o"),
}
_NOUN_WORDS = (
    "Almanac Anchor Archive Atlas Bell Bridge Cabinet Canal Cartographer Causeway Clock Compass Corridor Courtyard"
    " Dictionary Engine Envelope Estuary Ferry Garden Gate Gatekeeper Glacier Granary Harbour Herald Horizon Hourglass"
    " Hunter Island Juror Keeper Kitchen Ladder Lamp Lantern Ledger Letter Library Lighthouse Locksmith Machine Meadow"
    " Mirror Monsoon Motorway Neighbour Oak Observatory Orchard Organist Parade Passenger Pavilion Pendulum Photograph"
    " Pilot Postman Quarry Railway Regatta River Roof Scaffold Season Signal Staircase Station Summer Surgeon Tailor"
    " Telegram Theatre Tide Tower Train Translator Umbrella Valley Verdict Violin Visitor Voyage Wall Weaver Window"
)
_NOUNS = tuple(_NOUN_WORDS.split())
_SYLLABLES: dict[str, str] = {
    "cyrillic": "ба ве гор да жен зи кал ла ми ни ор пе ра са те ус фе хо ца ша ян бор вла дан ель ил кра лю мар нов",
    "greek": "αλ βε γα δη ευ ζω ηλ θε ιω κα λε μα νι ξε ορ πα ρο τα υλ φι χα ψε ων αν βο δρα κλε λυ μη στα",
    "han": "安 柏 岑 丹 恩 枫 高 海 嘉 康 岚 明 宁 欧 佩 清 若 山 棠 维 文 溪 雅 远 泽 舟 卓 青 石 南",
    "thai": "กา ขวัญ คม จิต ชา ดา ตา ทิพ ธน นา บุญ ปา พร มา ยา รัก ลา วิ ศรี สุข หอม อร แก้ว ใจ ไพ โชค เดช เพ็ญ รุ่ง สม",
    "arabic": "با تا جا حا دا را زا سا شا صا طا عا فا قا كا لا ما نا ها وا يا بر در سر كر مر نر ور هد شم",
}
SCRIPTS = ("latin", *_SYLLABLES)
HOUSES = (
    "Academy", "Archive", "Brewery", "College", "Conservatory", "Foundry", "Gallery", "Institute", "Laboratory",
    "Museum", "Observatory", "Orchestra", "Press", "Shipyard", "Society", "Theatre", "Trust", "University", "Works",
)  # fmt: skip
_QUARTERS = ("Bay", "Falls", "Harbour", "Heights", "Island", "Junction", "Sands", "Springs")


def belongs(word: str, split: str) -> bool:
    """Say whether a name word lies in the name space of a split."""
    return SPLITS[sum(map(ord, word)) % len(SPLITS)] == split


@cache
def pool(kind: str, script: str, split: str) -> tuple[str, ...]:
    """Return every name word of a kind ("first", "last", "city", ...) in a script that belongs to a split."""
    if script == "latin":
        starts, ends = _LATIN[kind]
        words = [start + end for start, end in product(starts.split(), ends.split())]
    else:
        parts = _SYLLABLES[script].split()
        words = [(first + second).capitalize() for first, second in product(parts, parts)]
    return tuple(dict.fromkeys(word for word in words if belongs(word, split)))


class Namer:
    """Names the entities of one world; ``similarity`` in [0, 1] is how often a name borrows from an earlier one."""

    def __init__(self, dice: Dice, split: str, similarity: float, scripts: tuple[str, ...]) -> None:
        self._dice, self._split, self._similarity, self._scripts = dice, split, similarity, scripts
        self._used: set[str] = set()
        self._people: list[tuple[str, str, str]] = []
        self._words: dict[str, list[str]] = {"city": [], "house": []}

    def name(self, kind: str) -> str:
        """Return a name that this world does not have yet; kinds are those of entities."""
        name = self._propose(kind, self._similarity)
        while name in self._used:
            name = self._propose(kind, 0.0)
            if kind == "city" and name in self._used:
                name = f"{name.split()[0]} {self._dice.pick(_QUARTERS)}"
        self._used.add(name)
        return name

    def currency(self) -> str:
        """Return the name of a currency; several countries may share one."""
        return self._fresh("money", self._dice.pick(self._scripts)).lower()

    def _propose(self, kind: str, similarity: float) -> str:
        script = self._dice.pick(self._scripts)
        if kind == "person":
            return self._person(script, similarity)
        if kind == "city":
            return self._city(script, similarity)
        if kind == "organisation":
            return f"{self._word('house', script, similarity)} {self._dice.pick(HOUSES)}"
        if kind in {"book", "film"}:
            return self._title(script)
        return self._fresh(kind, script)

    def _fresh(self, kind: str, script: str) -> str:
        return self._dice.pick(pool(kind, script, self._split))

    def _word(self, kind: str, script: str, similarity: float) -> str:
        words = self._words[kind]
        if words and self._dice.chance(similarity):
            return self._dice.pick(words)
        words.append(self._fresh(kind, script))
        return words[-1]

    def _person(self, script: str, similarity: float) -> str:
        first, last = self._fresh("first", script), self._fresh("last", script)
        if self._people and self._dice.chance(similarity):
            script, old_first, old_last = self._dice.pick(self._people)
            # A borrowed word keeps the script of its namesake, so that no name mixes scripts.
            first = old_first if self._dice.chance(0.5) else self._fresh("first", script)
            last = old_last if first != old_first else self._fresh("last", script)
        self._people.append((script, first, last))
        return f"{first}·{last}" if script == "han" else f"{first} {last}"

    def _city(self, script: str, similarity: float) -> str:
        if self._words["city"] and self._dice.chance(similarity / 2):
            # Behind the name, so that no sentence about one city is a part of a sentence about the other.
            return f"{self._dice.pick(self._words['city'])} {self._dice.pick(_QUARTERS)}"
        self._words["city"].append(self._fresh("city", script))
        return self._words["city"][-1]

    def _title(self, script: str) -> str:
        if script == "latin":
            return f"The {self._fresh('last', script)} {self._dice.pick(_NOUNS)}"
        return f"{self._fresh('title', script)} {self._fresh('title', script)}"
