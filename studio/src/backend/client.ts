/** The backend in a worker of this tab. */

import { Refused, type Backend } from "./backend";
import type { Answer, Argument, Future, Operation, Request, Response } from "./messages";

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class WorkerBackend implements Backend {
  onFuture: (future: Future) => void = () => {};
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  /** Takes the worker. Nothing can be asked before. */
  connect(worker: Worker): void {
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Response>) => this.hear(data);
    worker.onerror = (event) => {
      const reason = event.message || "the worker of the simulation has ended";
      const remedy = "load the page again";
      this.failAll(new Refused({ kind: "defect", path: "", value: "", reason, remedy, line: null }));
    };
  }

  ask<O extends Operation>(operation: O, argument: Argument<O>): Promise<Answer<O>> {
    const id = this.next;
    this.next += 1;
    const request: Request<O> = { id, operation, argument };
    const { worker } = this;
    if (!worker) throw new Error("the simulation has no worker yet");
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: (answer) => resolve(answer as Answer<O>), reject });
      worker.postMessage(request);
    });
  }

  private hear(response: Response): void {
    if ("future" in response) return this.onFuture(response.future);
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if ("fault" in response) waiting?.reject(new Refused(response.fault));
    else waiting?.resolve(response.answer);
  }

  private failAll(error: Error): void {
    for (const each of this.waiting.values()) each.reject(error);
    this.waiting.clear();
  }
}
