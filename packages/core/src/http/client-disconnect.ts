import type { ServerResponse } from 'node:http';

/** Reports that the client closed the connection before the response was written. The signal is created on first use: few handlers need it. */
export class ClientDisconnect {
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
  /** The signal was requested and has fired. */
  get hasAborted(): boolean {
    return this.controller?.signal.aborted === true;
  }
}
