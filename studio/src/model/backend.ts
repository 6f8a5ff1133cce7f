/** The one backend of the page. */

import { Refused } from "../backend/backend";
import { WorkerBackend } from "../backend/client";
import type { Frame } from "../backend/messages";
import type { Fault, Lever } from "../backend/types";
import { Samples } from "./samples";
import * as state from "./state";

export const backend = new WorkerBackend();

/** Shows a frame. Frames come in the order in which they were asked for. */
export function show(frame: Frame): void {
  const plan = state.loaded.value?.plan;
  if (!plan) return;
  const isNew = frame.b !== null && state.recordB.value === null;
  if (isNew) state.recordB.value = new Samples(plan.columns.length, plan.rows);
  if (!frame.b) state.recordB.value = null;
  const records = { a: state.recordA.value, b: state.recordB.value };
  for (const batch of frame.batches) records[batch.side]?.add(batch);
  // The first frame with B is that of the fork. B's first own sample may come long after it.
  if (isNew && frame.b) records.b?.forkFrom(records.a, frame.b.recorded);
  records.a.cut(frame.a.recorded);
  if (frame.b) records.b?.cut(frame.b.recorded);
  if (frame.levers) state.levers.value = frame.levers.map(withOldRange);
  state.frame.value = frame;
  if (frame.stopped) state.fault.value = memoryFault(frame.stopped);
}

/** The engine gives a range about the present value. A lever keeps the first one while its value is within it. */
function withOldRange(lever: Lever): Lever {
  const old = state.levers.peek().find((each) => each.path === lever.path && each.unit === lever.unit);
  if (!old || typeof lever.value !== "number" || old.least === null || old.most === null) return lever;
  if (lever.value < old.least || lever.value > old.most) return lever;
  return { ...lever, least: old.least, most: old.most, step: old.step };
}

function memoryFault(reason: string): Fault {
  const remedy = "go back, limit the queues, or run the scenario with `penstock run`";
  return { kind: "memory", path: "", value: "", reason, remedy, line: null };
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Refused) return error.fault;
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "defect", path: "", value: "", reason, remedy: "", line: null };
}
