/** The page. */

import type { JSX } from "preact";
import { Differences } from "./differences";
import { Dialogs } from "./dialogs";
import { Editor } from "./editor";
import { FaultBox } from "./fault";
import { ForkBar } from "./fork";
import { Footer } from "./footer";
import { Header } from "./header";
import { Levers } from "./levers";
import { NetworkPanel } from "./network";
import { TimeLinePanel } from "./time_line";
import * as state from "../model/state";

export function App(): JSX.Element {
  const isReady = state.loaded.value !== null;
  return (
    <div
      class="page"
      aria-busy={state.busy.value}
      data-mode={state.mode.value}
      data-foretelling={state.foretelling.value}
    >
      <Header />
      <main>
        <div class="column">
          <SidePanel />
        </div>
        <div class="scenes">
          <FaultBox />
          <EndNote />
          {isReady && <NetworkPanel side="a" />}
          {isReady && state.isForked.value && <NetworkPanel side="b" />}
          {isReady && <TimeLinePanel />}
          {state.isForked.value && <Differences />}
          {!isReady && !state.fault.value && <p class="note">The engine is loading.</p>}
        </div>
      </main>
      {isReady && <ForkBar />}
      <Footer />
      <Dialogs />
      <p class="visually-hidden" role="status">
        {state.message.value}
      </p>
    </div>
  );
}

/** What the reader can do when the run has ended: most levers and keys then do nothing. */
function EndNote(): JSX.Element | null {
  if (!state.hasEnded.value || state.mode.value !== "paused") return null;
  return (
    <p id="ended" class="end-note" role="status">
      <b>The run has ended.</b> Go back along the time line, with <kbd>←</kbd> or <kbd>Home</kbd>: there you can move a
      lever or fork. Run again shows it from the start. Another seed or text is under TOML. This was one replication;{" "}
      <code>penstock run</code> makes several.
    </p>
  );
}

function SidePanel(): JSX.Element {
  const { panel } = state;
  const changed = state.levers.value.filter((lever) => {
    const before = state.leversBefore.value.get(lever.path);
    return before !== undefined && before !== lever.value;
  }).length;
  return (
    <section class="panel" aria-label="Levers and scenario">
      <header>
        <div class="tabs" role="tablist" aria-label="Levers or scenario">
          {(["levers", "toml"] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`tab-${each}`}
              aria-selected={panel.value === each}
              aria-controls="side-panel"
              onClick={() => (panel.value = each)}
            >
              {each === "levers" ? "Levers" : "TOML"}
            </button>
          ))}
        </div>
        {changed > 0 && <span class="hint">{changed} changed</span>}
      </header>
      <div id="side-panel" role="tabpanel" aria-labelledby={`tab-${panel.value}`}>
        {panel.value === "levers" ? <Levers /> : <Editor />}
      </div>
    </section>
  );
}
