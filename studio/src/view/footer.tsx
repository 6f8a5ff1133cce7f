/** What runs: engine, fingerprint, checkpoints, memory. */

import type { JSX } from "preact";
import * as state from "../model/state";

export function Footer(): JSX.Element {
  const frame = state.frame.value;
  const facts = state.facts.value;
  return (
    <footer>
      <span title="The digest of the engine's sources: with equal digests all fingerprints are equal.">
        engine {facts?.version} {facts?.sources.slice(0, 8)}
      </span>
      {frame && (
        <>
          <span>
            fingerprint <output id="fingerprint">{frame.a.fingerprint}</output>
          </span>
          {frame.b && (
            <span>
              of B <output id="fingerprint-b">{frame.b.fingerprint}</output>
            </span>
          )}
          <span>{frame.checkpoints} checkpoints</span>
          <span>{Math.max(1, Math.round(frame.bytes / 1e6))} MB</span>
          <span>{Number(frame.events).toLocaleString("en")} events</span>
          {(frame.a.positions?.thinned ?? 1) > 1 && <span>one cell drawn for {frame.a.positions?.thinned}</span>}
        </>
      )}
      <span>seed {String(state.seed.value)}, one replication</span>
    </footer>
  );
}
