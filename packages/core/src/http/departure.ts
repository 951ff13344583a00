import type { ServerResponse } from 'node:http';

/** The caller hangs up before the answer is written. Few handlers ask: the signal is made for those that do. */
export class Departure {
  private readonly res: ServerResponse;
  private controller: AbortController | undefined;
  constructor(res: ServerResponse) {
    this.res = res;
  }
  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = new AbortController();
      this.controller = controller;
      const closed = (): void => {
        if (!this.res.writableFinished) controller.abort();
      };
      if (this.res.closed) closed();
      else this.res.once('close', closed);
    }
    return this.controller.signal;
  }
  /** Somebody who asked for the signal was told. */
  get seen(): boolean {
    return this.controller?.signal.aborted === true;
  }
}
