"""ALFWorld (Shridhar et al. 2021, arXiv 2010.03768): household tasks in text, on TextWorld's PDDL engine.

``engine`` plays, ``caching`` and ``grammar`` make it fast, ``planner`` wins, ``games`` finds the published games,
``household`` and ``errands`` make our own, ``benchmark`` offers both.
"""
