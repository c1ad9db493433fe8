"""Which hidden relations do the ties of Zachary's karate club make up? No labels, no settings."""

import networkx
import pandas

from factorgcn import Disentangler

club = networkx.karate_club_graph()
found = Disentangler(random_state=0).fit(club)
print(found.summary_["verdict_in_words"])
print(found.edges_.head().to_string(index=False))
print("\nThe groups of the first relation, and where people went when the club fell apart:")
sides = pandas.Series(dict(club.nodes(data="club")), name="club")
print(pandas.crosstab(sides, found.groups_[:, 0], colnames=["group"]))
