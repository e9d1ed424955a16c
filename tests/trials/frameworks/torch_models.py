"""Train two modules of PyTorch, export them, and write lists made by the modules themselves."""

import numpy as np
import torch
from scipy.sparse import csr_matrix
from shared import DEPTH, OUT, keep, rated

import recsens_export  # isort: skip

test = rated("test")
user, item, rating = map(np.array, zip(*rated("train"), strict=True))
users, row = np.unique(user, return_inverse=True)
items, column = np.unique(item, return_inverse=True)
user_items = csr_matrix((rating, (row, column)))
shape = user_items.shape
seen = torch.zeros(shape, dtype=torch.bool)
seen[row, column] = True


class Pairs(torch.nn.Module):
    """One score per pair: a network over two embeddings, with dropout."""

    def __init__(self):
        super().__init__()
        self.of_users, self.of_items = torch.nn.Embedding(shape[0], 16), torch.nn.Embedding(shape[1], 16)
        self.layers = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))

    def forward(self, user, item):
        return self.layers(torch.cat([self.of_users(user), self.of_items(item)], dim=-1)).squeeze(-1)


class Everything(Pairs):
    """The scores of all items for some users."""

    def forward(self, user):
        return self.of_users(user) @ self.of_items.weight.T


torch.manual_seed(1)
for name, module, pairs in (("Pairs", Pairs(), True), ("Everything", Everything(), False)):
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    given = tuple(map(torch.as_tensor, (row, column)))
    for _ in range(5):
        found = module(*given) if pairs else module(torch.arange(shape[0]))[given]
        loss = torch.mean((found - torch.as_tensor(rating, dtype=torch.float32)) ** 2)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    if pairs:
        scores = recsens_export.from_torch(module, users, items, train=user_items, test=test)
    else:
        scores = recsens_export.from_torch(module, users, items, train=user_items, test=test, pairs=False)
    told = scores.save(OUT / f"{name}.npz")
    assert module.training
    module.eval()
    lists = {}
    with torch.no_grad():
        for at, name_of in enumerate(users):
            one = module(torch.full((shape[1],), at), torch.arange(shape[1])) if pairs else module(torch.tensor([at]))[0]
            lists[name_of] = items[one.masked_fill(seen[at], -torch.inf).topk(DEPTH).indices.numpy()]
    keep(name, lists, told)
scores.save_split(OUT / "split")
