#!/usr/bin/env python3
"""Times eager PyTorch on a program's sample inputs and prints {"p50_us": …, "runs": N}.

    python bench/peers/eager.py MODEL.pt2 RUNS THREADS
"""

import json
import statistics
import sys
import time

import torch
from torch.utils import _pytree as pytree


def main() -> int:
    source, runs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    exported = torch.export.load(source)
    module = exported.module()
    args, kwargs = pytree.tree_map_only(torch.Tensor, torch.clone, exported.example_inputs)
    times = []
    with torch.no_grad():
        for _ in range(runs + 1):
            start = time.perf_counter()
            module(*args, **kwargs)
            times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"p50_us": statistics.median(times[1:]), "runs": runs}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
