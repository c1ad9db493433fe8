"""Where training on one graph in parts stops scaling: replays measured compute and real halos for up to 256 machines.

A step on P parts, one process each, takes as long as its slowest process computes, and as its network carries what it
sends and receives; nothing overlaps, so this is a bound from above:

    compute   step * edges of the part / all edges * (1 + halo_work * halo / rows)
    network   messages * latency + bytes / bandwidth, with the halo's rows forward and their gradients back
    gradients 2 * 4 * L * (P - 1) / P bytes and 2 messages to each of the others

Halos are those of `factorgcn data partition` (parts.json), so hubs and unequal parts are in it. The compute is
measured: give the seconds of a step on one process (--step), which are shared out by edges. Work on a halo's rows is an
assumption (--halo-work).

    python3 bench/parts_scaling.py --step 1.9 --numbers 293 --parameters 35747 g-2 g-4 g-8 ... g-256
"""

import argparse
import json
import pathlib


def read(folder):
    return json.loads((pathlib.Path(folder) / "parts.json").read_text())


def step_seconds(manifest, options, gigabits):
    parts = manifest["parts"]
    count = len(parts)
    per_edge = options.step / manifest["edges"]
    bandwidth = gigabits * 1e9 / 8
    messages = options.messages * (count - 1)
    slowest = 0.0
    for part in parts:
        compute = per_edge * part["edges"] * (1 + options.halo_work * part["halo"] / max(part["rows"], 1))
        received = 2 * 4 * options.numbers * part["halo"]
        slowest = max(slowest, compute + received / bandwidth)
    gradients = 2 * 4 * options.parameters * (count - 1) / count / bandwidth
    return slowest + gradients + messages * options.latency


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="the graph cut into 2, 4, 8 ... parts")
    parser.add_argument("--step", type=float, required=True, help="seconds of a step on one process")
    parser.add_argument("--numbers", type=int, required=True, help="numbers a node of a halo, as data partition says")
    parser.add_argument("--parameters", type=int, required=True)
    parser.add_argument("--latency", type=float, default=50e-6, help="seconds a message (default: 50 us)")
    parser.add_argument("--messages", type=int, default=10, help="to each other process in a step (default: 10)")
    parser.add_argument("--halo-work", type=float, default=0.1, help="work on a halo row, of that on an own row")
    options = parser.parse_args()

    networks = (1, 10, 25, 100)
    print(f"one process: {options.step:.3g} s a step; times faster with one process a part")
    print("| parts | cut | halo / nodes | " + " | ".join(f"{g} Gbit/s" for g in networks) + " |")
    print("| ---: | ---: | ---: | " + " | ".join("---:" for _ in networks) + " |")
    best = {g: (1, 1.0) for g in networks}
    for manifest in sorted(map(read, options.folders), key=lambda m: len(m["parts"])):
        count = len(manifest["parts"])
        cut = sum(p["cut_edges"] for p in manifest["parts"]) / manifest["edges"]
        halo = sum(p["halo"] for p in manifest["parts"]) / manifest["nodes"]
        times = []
        for g in networks:
            faster = options.step / step_seconds(manifest, options, g)
            times.append(f"{faster:.2f}")
            if faster > 1.05 * best[g][1]:
                best[g] = (count, faster)
        print(f"| {count} | {100 * cut:.0f} % | {halo:.2f} | " + " | ".join(times) + " |")
    for g in networks:
        count, faster = best[g]
        print(f"{g} Gbit/s: more than {count} processes gain nothing ({faster:.1f} times)" if count > 1
              else f"{g} Gbit/s: several processes gain nothing")


if __name__ == "__main__":
    main()
