/** Name, scenario, run, speed, time. */

import type { JSX, TargetedEvent } from "preact";
import icon from "../icon.svg";
import { loadReady, run } from "../model/actions";
import { clockText, go, stop } from "../model/player";
import { isReady, readyNames } from "../model/ready";
import * as state from "../model/state";
import { parse } from "../model/time";
import { Field } from "./field";
import { switchTheme, theme } from "./theme";

export function Header(): JSX.Element {
  return (
    <header class="top">
      <h1>
        <img src={icon} alt="" width={20} height={20} /> Penstock Studio
      </h1>
      <ScenarioChoice />
      <p class="title">{state.loaded.value?.title}</p>
      <div class="controls">
        <RunButtons />
        <SpeedChoice />
        <TimeField />
        <button type="button" class="small" title="Links and files (L)" onClick={() => (state.dialog.value = "share")}>
          Share
        </button>
        <button
          type="button"
          class="small"
          aria-label="Help"
          title="Help (?)"
          onClick={() => (state.dialog.value = "help")}
        >
          ?
        </button>
        <button
          type="button"
          class="small"
          aria-label={theme.value === "dark" ? "Light page" : "Dark page"}
          title="Dark or light (D)"
          onClick={switchTheme}
        >
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </div>
    </header>
  );
}

function ScenarioChoice(): JSX.Element {
  const choose = async (event: TargetedEvent<HTMLSelectElement>): Promise<void> => {
    const { value } = event.currentTarget;
    if (value) await loadReady(value);
    else {
      event.currentTarget.value = state.name.value; // it goes on until another text is started
      state.panel.value = "toml";
    }
  };
  return (
    <label>
      <span class="visually-hidden">Scenario</span>
      <select id="scenario" value={state.name.value} onChange={(event) => void choose(event)}>
        <option value="">{ownTitle()}</option>
        {[...readyNames].map(([folder, names]) => (
          <optgroup key={folder} label={folder}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** What a text that is no ready scenario is called: by the ready one that it was made from, its title, or its file. */
function ownTitle(): string {
  const name = state.ownName.value;
  if (isReady(name)) return `${name}, changed`;
  const title = state.name.value ? "" : state.loaded.value?.title;
  return title || (name ? `own scenario: ${name}` : "own scenario");
}

function RunButtons(): JSX.Element {
  const isBusy = state.busy.value;
  const mode = isBusy ? state.modeAfter.value : state.mode.value;
  const isOff = !isBusy && !state.loaded.value;
  if (state.isSlow.value && state.loaded.value) {
    return (
      <button type="button" id="stop" class="main" onClick={() => void stop()}>
        Stop <kbd>Esc</kbd>
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        id="run"
        class="main"
        disabled={isOff && mode === "paused"}
        onClick={() => run("playing")}
      >
        {mode === "playing" ? "Pause" : runText()} <kbd>space</kbd>
      </button>
      <button
        type="button"
        id="express"
        class="small"
        aria-pressed={mode === "express"}
        disabled={isOff && mode === "paused"}
        title="To the end, without drawing (E)"
        onClick={() => run("express")}
      >
        Express
      </button>
    </>
  );
}

/** What the button does: the text in the editor need not be the one that runs, and a run may have ended. */
function runText(): string {
  if (state.isEdited.value) return "Run new text";
  return state.hasEnded.value ? "Run again" : "Run";
}

function SpeedChoice(): JSX.Element {
  const speeds = [...new Set([...state.speeds.value, state.speed.value])].sort((one, other) => one - other);
  return (
    <label>
      <span class="visually-hidden">Speed</span>
      <select
        id="speed"
        value={String(state.speed.value)}
        onChange={(event) => (state.speed.value = Number(event.currentTarget.value))}
      >
        {speeds.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed} s a second
          </option>
        ))}
      </select>
    </label>
  );
}

/** The time; a time that is written there is gone to. */
function TimeField(): JSX.Element {
  const jump = async (value: string): Promise<boolean> => {
    const target = parse(value);
    if (target === null) {
      const remedy = "write a time as 12.4 s or 300 ms";
      state.fault.value = { kind: "scenario", path: "time", value, reason: "this is no time", remedy, line: null };
    } else {
      await go(target);
    }
    return true;
  };
  return (
    <Field
      id="time"
      class="clock"
      aria-label="Time: write one to go there"
      value={clockText()}
      onGive={jump}
    />
  );
}
