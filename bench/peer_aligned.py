"""The peer of the aligned model's training step (docs/aligned.md): the same losses on the same shape, in PyTorch.

Edges only: messages are gathered and scattered along arcs, all factors in one [arcs, K, width] tensor. Walks are
counted by batched products of small dense matrices, which is the quickest way here. Run by peer_torch.py --style
aligned.
"""
import torch, torch.nn as nn, torch.nn.functional as F

GRAPHS, NODES, PAIRS, LABELS, PRESENT, HIDDEN, JUDGE = 500, 15, 20, 4, 2, 64, 48
WEIGHTS = dict(empty=1., cover=1., entropy=.1, share=10., swap=3., adversary=.3)


def graphs_of(i, j, graph, u):
    """Pairs with nodes numbered within their graphs, as arcs of one large graph, with their walks."""
    dense = torch.zeros(GRAPHS, NODES, NODES, device=u.device)
    dense[graph, i, j] = dense[graph, j, i] = 1
    a2 = dense @ dense; a3 = a2 @ dense; a4 = a3 @ dense
    w2 = a2[graph, i, j]
    walks = torch.stack([u, w2 / 3, a3[graph, i, j] / 10, a4[graph, i, j] / 30, (w2 > 0).float()], 1)
    left, right = i + graph * NODES, j + graph * NODES
    return dict(i=i, j=j, graph=graph, u=u, walks=walks, left=left, right=right, src=torch.cat([left, right]),
                dst=torch.cat([right, left]))


def make(device):
    gen = torch.Generator().manual_seed(0)
    chosen = torch.rand(GRAPHS, NODES * (NODES - 1) // 2, generator=gen).topk(PAIRS, 1).indices.flatten()
    i, j = torch.triu_indices(NODES, NODES, 1)[:, chosen]
    u = 1. + (torch.rand(GRAPHS * PAIRS, generator=gen) < .1)
    present = torch.rand(GRAPHS, LABELS, generator=gen).topk(PRESENT, 1).indices
    labels = torch.zeros(GRAPHS, LABELS).scatter(1, present, 1.)
    graph = torch.arange(GRAPHS).repeat_interleave(PAIRS)
    return graphs_of(i.to(device), j.to(device), graph.to(device), u.to(device)), labels.to(device)


class Block(nn.Module):
    def __init__(s, i, h):
        super().__init__()
        s.a, s.n1 = nn.Linear(i, h), nn.BatchNorm1d(h); s.b, s.n2 = nn.Linear(h, h), nn.BatchNorm1d(h)
    def forward(s, x):
        return F.relu(s.n2(s.b(F.relu(s.n1(s.a(x))))))


def scatter(g, rows, messages):
    return torch.zeros(rows, *messages.shape[1:], device=messages.device).index_add_(0, g['dst'], messages)


class Reader(nn.Module):
    def __init__(s, h):
        super().__init__(); s.blocks = nn.ModuleList([Block(1 if r == 0 else h, h) for r in range(3)])
    def forward(s, g, c):                                  # [P, K] -> [G, K, h]
        n, k = GRAPHS * NODES, c.shape[1]
        w = torch.cat([c, c]).unsqueeze(2)
        x = scatter(g, n, w) / 3
        for b in s.blocks:
            x = b((x + scatter(g, n, x.index_select(0, g['src']) * w)).flatten(0, 1)).view(n, k, -1)
        return x.view(GRAPHS, NODES, k, -1).mean(1)


class Net(nn.Module):
    def __init__(s, k=LABELS, h=HIDDEN):
        super().__init__()
        s.context = nn.ModuleList([Block(2 if r == 0 else h, h) for r in range(4)]); s.whole = nn.Linear(h, h)
        s.score = nn.Sequential(nn.Linear(4 * h + 5, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, k))
        with torch.no_grad():                              # as many factors hold edges as labels are present
            s.score[4].bias.copy_(torch.tensor([3., -3.]).repeat(k)[:k])
        s.reader, s.head = Reader(h), nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, k))
    def split(s, g):
        n = GRAPHS * NODES; u = torch.cat([g['u'], g['u']]).unsqueeze(1)
        x = torch.cat([scatter(g, n, torch.ones_like(u)), scatter(g, n, u)], 1) / 5
        for b in s.context: x = b(x + scatter(g, n, x.index_select(0, g['src']) * u))
        whole = s.whole(x.view(GRAPHS, NODES, -1).mean(1)).index_select(0, g['graph'])
        i, j = x.index_select(0, g['left']), x.index_select(0, g['right'])
        return torch.sigmoid(s.score(torch.cat([i + j, (i - j).abs(), i * j, whole, g['walks']], 1)))
    def forward(s, g):
        c = s.split(g)
        return torch.diagonal(s.head(s.reader(g, c)), dim1=1, dim2=2), c


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale): ctx.scale = scale; return x.view_as(x)
    @staticmethod
    def backward(ctx, g): return -ctx.scale * g, None


class Judge(nn.Module):
    def __init__(s, told, k=LABELS, h=JUDGE):
        super().__init__(); s.told, s.reader, s.which = told, Reader(h), nn.Embedding(k, h)
        s.head = nn.Sequential(nn.Linear(2 * h if told else h, h), nn.ReLU(), nn.Linear(h, k))
    def forward(s, g, c):
        r = s.reader(g, c)
        return s.head(torch.cat([r, s.which.weight.expand(len(r), -1, -1)], -1) if s.told else r)


def new_graphs(held, g, labels):
    """Parts of graphs that have a label, permuted and laid over each other; and which part lies on each pair."""
    device = labels.device
    chosen = torch.rand(GRAPHS, LABELS, device=device).argsort(1)[:, :PRESENT].flatten()
    donor = labels.t()[chosen].multinomial(1).flatten()    # [G * present]
    place = torch.rand(GRAPHS * PRESENT, NODES, device=device).argsort(1)
    at = (donor.unsqueeze(1) * PAIRS + torch.arange(PAIRS, device=device)).flatten()
    part = torch.arange(GRAPHS * PRESENT, device=device).repeat_interleave(PAIRS)
    keep = held[at, chosen[part]]
    at, part = at[keep], part[keep]
    a, b = place[part, g['i'][at]], place[part, g['j'][at]]
    key = (part // PRESENT * NODES + torch.minimum(a, b)) * NODES + torch.maximum(a, b)
    keys, where = key.unique(return_inverse=True)
    parts = torch.zeros(len(keys), LABELS, device=device); parts[where, chosen[part]] = 1
    return graphs_of(keys // NODES % NODES, keys % NODES, keys // NODES ** 2, parts.sum(1)), parts


class Step(nn.Module):
    """The loss of a step in which all mechanisms are at work."""
    def __init__(s):
        super().__init__(); s.net, s.adversary, s.namer = Net(), Judge(True), Judge(False)
        s.norms = [m for m in s.net.modules() if isinstance(m, nn.BatchNorm1d)]
    def forward(s, data):
        g, labels = data; w = WEIGHTS
        y, c = s.net(g); n = len(c); eye = torch.eye(LABELS, device=c.device)
        present = labels.index_select(0, g['graph'])
        loss = F.binary_cross_entropy_with_logits(y, labels) + w['empty'] * (c * (1 - present)).sum() / n \
            + w['cover'] * ((c.sum(1) - g['u']) ** 2).sum() / n + w['entropy'] * (c * (1 - c)).sum() / n
        size = c.view(GRAPHS, PAIRS, LABELS).mean(1)
        loss = loss + w['share'] * (F.relu(.5 / labels.sum(1, keepdim=True) - size) * labels).sum() / labels.sum()
        others = labels.unsqueeze(2) * (1 - eye)
        guess = s.adversary(g, Reverse.apply(c, w['adversary']))
        loss = loss + (F.binary_cross_entropy_with_logits(guess, labels.unsqueeze(1).expand_as(guess), reduction='none')
                       * others).sum() / others.sum()
        own = c.detach() * present
        held = (c.detach() > .5) | ((own == own.amax(1, keepdim=True)) & (own > 0))
        named = s.namer(g, held.float())
        numbers = torch.arange(LABELS, device=c.device).repeat(GRAPHS)
        wrong = F.cross_entropy(named.flatten(0, 1), numbers, reduction='none')
        loss = loss + (wrong * labels.flatten()).sum() / labels.sum()
        with torch.no_grad():                              # two parts: turned round where the other order is likelier
            who = labels.argsort(dim=1, descending=True, stable=True)[:, :PRESENT]
            p = named.log_softmax(-1).gather(1, who.unsqueeze(2).expand(-1, -1, LABELS))
            p = p.gather(2, who.unsqueeze(1).expand(-1, PRESENT, -1))
            turned = p[:, 0, 1] + p[:, 1, 0] > p[:, 0, 0] + p[:, 1, 1]
            source = torch.arange(LABELS, device=c.device).expand(GRAPHS, -1).clone()
            source.scatter_(1, who, torch.where(turned.unsqueeze(1), who.flip(1), who))
            order = source.index_select(0, g['graph'])
            held, wanted = held.gather(1, order), c.detach().gather(1, order)
            made, parts = new_graphs(held, g, labels)
        loss = loss + (F.binary_cross_entropy(c.clamp(1e-4, 1 - 1e-4), wanted, reduction='none')
                       * turned[g['graph']].unsqueeze(1)).sum() / n
        for b in s.norms: b.momentum = 0.
        found = s.net.split(made)
        for b in s.norms: b.momentum = .1
        swap = F.binary_cross_entropy(found.clamp(1e-4, 1 - 1e-4), parts, reduction='sum') / len(parts)
        return loss + w['swap'] * swap
