/** What Share offers: a link, one file, the text, Python and pictures of this instant. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Side } from "../backend/messages";
import { faultOf } from "../model/backend";
import { fileName, isLocal, link, pageFile, snippet, written } from "../model/share";
import * as state from "../model/state";
import { CopyButton, save } from "./copy";
import { png, svg } from "./picture";

export function Share(): JSX.Element {
  const shown = useSignal<Side>(state.isForked.value ? "b" : "a");
  return (
    <>
      <OneFile />
      <Link />
      {state.isForked.value && (
        <fieldset class="row">
          <legend>Which future</legend>
          {(["a", "b"] as const).map((side) => (
            <label key={side}>
              <input type="radio" name="side" checked={shown.value === side} onChange={() => (shown.value = side)} />{" "}
              {side.toUpperCase()}
            </label>
          ))}
        </fieldset>
      )}
      <Scenario side={shown.value} />
      <h3>In Python, with the same fingerprint</h3>
      <pre id="snippet" tabIndex={0} aria-label="Python">
        {snippet(shown.value)}
      </pre>
      <CopyButton text={snippet(shown.value)} what="Python" />
      <Pictures />
    </>
  );
}

/** The page for readers without Penstock. */
function OneFile(): JSX.Element {
  const isMaking = useSignal(false);
  const make = async (): Promise<void> => {
    const home = state.home.value;
    if (!home) return;
    isMaking.value = true;
    try {
      save(fileName("html"), await pageFile(home));
      state.message.value = "The page is saved.";
    } catch (error) {
      state.fault.value = faultOf(error);
      state.dialog.value = null; // the fault is below it
    }
    isMaking.value = false;
  };
  return (
    <>
      <h3>This instant as one file</h3>
      <p class="note">
        A page of some 3 MB with the engine, the scenario and this instant{state.isForked.value && ", both futures"}. It
        opens in any browser, without Penstock and without a network.
      </p>
      <button type="button" id="save-page" class="small" disabled={isMaking.value} onClick={() => void make()}>
        Save page
      </button>
    </>
  );
}

function Link(): JSX.Element {
  const address = useSignal("");
  const isAtRest = state.mode.value === "paused" && !state.busy.value;
  useEffect(() => {
    void link().then((found) => (address.value = found));
  }, [isAtRest]);
  return (
    <>
      <h3>This instant as a link</h3>
      <p class="note">
        The link holds the scenario, the seed, the time and the changes. Nothing is sent to a server.
        {isLocal() && " It opens on this machine only: give others the file or the text."}
      </p>
      <div class="row">
        <input
          id="link"
          readOnly
          value={address.value}
          aria-label="Link"
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={address.value} what="link" />
      </div>
    </>
  );
}

function Scenario({ side }: { readonly side: Side }): JSX.Element {
  const toml = useSignal("");
  const isAtRest = state.mode.value === "paused" && !state.busy.value;
  useEffect(() => {
    void written(side).then((text) => (toml.value = text));
  }, [side, isAtRest]);
  return (
    <>
      <h3>The scenario as text</h3>
      <p class="note">
        For <code>penstock run</code>, Python and this page. Changes that were made here are in it.
      </p>
      <pre id="scenario-text" tabIndex={0} aria-label="Scenario as TOML">
        {toml.value}
      </pre>
      <div class="row">
        <CopyButton text={toml.value} what="TOML" />
        <button
          type="button"
          class="small"
          disabled={!toml.value}
          onClick={() => save(fileName("toml"), new Blob([toml.value], { type: "application/toml" }))}
        >
          Save TOML
        </button>
      </div>
    </>
  );
}

function Pictures(): JSX.Element {
  return (
    <>
      <h3>Pictures</h3>
      <div class="row">
        <button
          type="button"
          class="small"
          onClick={() => void png().then((made) => made && save(fileName("png"), made))}
        >
          Save PNG
        </button>
        <button type="button" class="small" onClick={() => save(fileName("svg"), svg())}>
          Save SVG
        </button>
      </div>
    </>
  );
}
