/** What went wrong: where, why, and what would be right. */

import type { JSX } from "preact";
import * as state from "../model/state";

const HEADINGS = { scenario: "Refused", defect: "A defect of Penstock", memory: "Too large for this tab" } as const;

export function FaultBox(): JSX.Element | null {
  const fault = state.fault.value;
  if (!fault) return null;
  return (
    <div class="fault" role="alert">
      <p>
        <b>{HEADINGS[fault.kind]}</b>
        {fault.path && (
          <>
            {" "}
            <code>{fault.path}</code>
          </>
        )}
        {fault.value && (
          <>
            {" "}
            is <code>{fault.value}</code>
          </>
        )}
        {fault.line !== null && <> (line {fault.line})</>}: {fault.reason}
        {fault.remedy && <>. Remedy: {fault.remedy}</>}
      </p>
      <button type="button" class="small" onClick={() => (state.fault.value = null)}>
        Close
      </button>
    </div>
  );
}
