"""Which hidden relations do the ties of Zachary's karate club make up? No labels, no settings."""

import networkx

from factorgcn import Disentangler

found = Disentangler(random_state=0).fit(networkx.karate_club_graph())
print(found.summary_["verdict_in_words"])
print(found.edges_.head(10).to_string(index=False))
for relation, graph in zip(found.relations_, found.transform()):
    print(f"{relation}: {graph.nnz // 2} edges, {graph.sum() / 2:.1f} by their shares")
