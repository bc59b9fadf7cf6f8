"""TextWorld (Côté et al. 2018, arXiv 1806.11532): games made from a seed by its own makers, played as Z-machine files.

``making`` makes and keeps them, ``engine`` plays, ``benchmark`` offers four kinds.
"""
