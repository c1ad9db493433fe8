"""The networks' parts as torch modules. Weights have the names of the command line's files: either reads the other's.

=====================  ================================================================================================
`DisentangleConv`      one graph in, K weighted factor graphs out, features summed in each
`Discriminator`        keeps the factor graphs of a layer different
`FactorGCN`            layers, discriminators, readout: the network of the paper
`functional`           what they compute, as functions of tensors
`oracle`               the same in plain torch, edge by edge: slow and obviously right
=====================  ================================================================================================
"""

from factorgcn import _door

_door.load()  # TorchScript must know the library's types before it reads the files below.

from factorgcn.nn import functional, oracle  # noqa: E402
from factorgcn.nn.disentangle_conv import DisentangleConv  # noqa: E402
from factorgcn.nn.discriminator import Discriminator  # noqa: E402
from factorgcn.nn.factor_gcn import FactorGCN  # noqa: E402

__all__ = ["DisentangleConv", "Discriminator", "FactorGCN", "functional", "oracle"]
