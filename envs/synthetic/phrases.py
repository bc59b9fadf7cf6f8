"""How questions are phrased: noun phrases that nest, one a hop, and the sentences around them.

{x} is a name or another noun phrase. As in ``language``, writer and reader share these tables.
"""

from __future__ import annotations

NOUN_PHRASES: dict[str, tuple[str, ...]] = {
    "born_in": ("the birthplace of {x}", "the city where {x} was born"),
    "works_at": ("the employer of {x}", "the organisation that employs {x}", "the organisation that {x} works for"),
    "lives_in": ("the city where {x} lives", "the current home town of {x}"),
    "spouse": ("the spouse of {x}", "the person who is married to {x}"),
    "mentor": ("the mentor of {x}", "the person who mentored {x}"),
    "~mentor": ("the student of {x}", "the person who was mentored by {x}"),
    "~author": ("the novel by {x}", "the novel that {x} wrote"),
    "~director": ("the film by {x}", "the film that {x} directed"),
    "~founder": ("the organisation founded by {x}", "the organisation that {x} founded"),
    "based_in": ("the city where {x} is based", "the city of the headquarters of {x}"),
    "founder": ("the founder of {x}", "the person who founded {x}"),
    "head": ("the head of {x}", "the person who leads {x}"),
    "lies_in": ("the country of {x}", "the country in which {x} lies"),
    "mayor": ("the mayor of {x}", "the person who is mayor of {x}"),
    "capital": ("the capital of {x}", "the city from which {x} is governed"),
    "president": ("the president of {x}", "the person who presides over {x}"),
    "author": ("the author of {x}", "the person who wrote {x}"),
    "director": ("the director of {x}", "the person who directed {x}"),
    "set_in": ("the city in which {x} is set", "the setting of {x}"),
}

LOOKUPS: dict[str, tuple[str, ...]] = {
    "born_in": ("Where was {x} born?", "In which city was {x} born?"),
    "born_on": ("When was {x} born?", "On which date was {x} born?", "What is the date of birth of {x}?"),
    "works_at": ("Where does {x} work?", "Which organisation employs {x}?", "Who is the employer of {x}?"),
    "lives_in": ("Where does {x} live?", "In which city does {x} live?"),
    "spouse": ("Who is married to {x}?", "Who is the spouse of {x}?"),
    "mentor": ("Who mentored {x}?", "Who was the mentor of {x}?"),
    "~mentor": ("Who was mentored by {x}?", "Who was the student of {x}?"),
    "plays": ("Which instrument does {x} play?", "What is the instrument of {x}?"),
    "height": ("How tall is {x}?", "What is the height of {x}?"),
    "~author": ("Which novel did {x} write?", "What is the title of the novel by {x}?"),
    "~director": ("Which film did {x} direct?", "What is the title of the film by {x}?"),
    "~founder": ("Which organisation did {x} found?", "What is the name of the organisation founded by {x}?"),
    "based_in": ("Where is {x} based?", "In which city does {x} have its headquarters?"),
    "founder": ("Who founded {x}?", "Who is the founder of {x}?"),
    "founded": ("When was {x} founded?", "In which year did {x} open its doors?"),
    "head": ("Who leads {x}?", "Who is the head of {x}?"),
    "lies_in": ("In which country is {x}?", "Which country does {x} belong to?"),
    "population": ("How many inhabitants does {x} have?", "What is the population of {x}?"),
    "mayor": ("Who is the mayor of {x}?", "Who runs the town hall of {x}?"),
    "capital": ("What is the capital of {x}?", "Which city is the capital of {x}?"),
    "currency": ("What is the currency of {x}?", "Which currency is used in {x}?"),
    "president": ("Who is the president of {x}?", "Who presides over {x}?"),
    "author": ("Who wrote {x}?", "Who is the author of {x}?"),
    "published": ("When was {x} published?", "In which year was {x} published?"),
    "director": ("Who directed {x}?", "Who is the director of {x}?"),
    "released": ("When was {x} released?", "In which year did {x} come to the cinemas?"),
    "set_in": ("Where is {x} set?", "In which city does the story of {x} take place?"),
}

COMPARISONS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("born_on", True): ("Who was born earlier, {a} or {b}?", "Who is older, {a} or {b}?"),
    ("born_on", False): ("Who was born later, {a} or {b}?", "Who is younger, {a} or {b}?"),
    ("height", True): ("Who is shorter, {a} or {b}?",),
    ("height", False): ("Who is taller, {a} or {b}?",),
    ("founded", True): ("Which was founded first, {a} or {b}?", "Which is the older institution, {a} or {b}?"),
    ("founded", False): ("Which was founded later, {a} or {b}?", "Which is the younger institution, {a} or {b}?"),
    ("population", True): ("Which has fewer inhabitants, {a} or {b}?", "Which is the smaller city, {a} or {b}?"),
    ("population", False): ("Which has more inhabitants, {a} or {b}?", "Which is the larger city, {a} or {b}?"),
    ("published", True): ("Which was published first, {a} or {b}?",),
    ("published", False): ("Which was published later, {a} or {b}?",),
    ("released", True): ("Which was released first, {a} or {b}?",),
    ("released", False): ("Which was released later, {a} or {b}?",),
}
"""By attribute and whether the lower value wins; the answer is one of the two names."""

ORDERS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("born_on", True): ("Was {a} born before {b}?", "Is {a} older than {b}?"),
    ("born_on", False): ("Was {a} born after {b}?", "Is {a} younger than {b}?"),
    ("height", True): ("Is {a} shorter than {b}?",),
    ("height", False): ("Is {a} taller than {b}?",),
    ("founded", True): ("Was {a} founded before {b}?",),
    ("founded", False): ("Was {a} founded after {b}?",),
    ("population", True): ("Does {a} have fewer inhabitants than {b}?", "Is {a} a smaller city than {b}?"),
    ("population", False): ("Does {a} have more inhabitants than {b}?", "Is {a} a larger city than {b}?"),
    ("published", True): ("Was {a} published before {b}?",),
    ("published", False): ("Was {a} published after {b}?",),
    ("released", True): ("Was {a} released before {b}?",),
    ("released", False): ("Was {a} released after {b}?",),
}
"""As ``COMPARISONS``; the answer is yes or no."""

SHARED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("works_at",): ("Do {a} and {b} work for the same organisation?",),
    ("works_at", "based_in"): ("Do {a} and {b} work for organisations of the same city?",),
    ("lives_in",): ("Do {a} and {b} live in the same city?",),
    ("lives_in", "lies_in"): ("Do {a} and {b} live in the same country?",),
    ("born_in",): ("Were {a} and {b} born in the same city?",),
    ("born_in", "lies_in"): ("Were {a} and {b} born in the same country?",),
    ("based_in",): ("Are {a} and {b} based in the same city?",),
    ("lies_in",): ("Are {a} and {b} cities of the same country?",),
}
"""Both chains end with these relations; the answer is yes or no."""

IDENTITIES = ("Is {a} {b}?", "Is it true that {a} is {b}?")
"""{a} is a name, {b} a noun phrase."""

SAMENESS = ("Is {a} also {b}?", "Are {a} and {b} one and the same?")
"""Both are noun phrases."""
