/** What failed, where, why, and how to fix it. */
export interface Fault {
  /** lower_snake_case, never reused with another meaning. */
  readonly code: string;
  readonly what: string;
  readonly where?: string;
  readonly why?: string;
  readonly fix?: string;
}

/** The stored and displayed form: the message has one line for each part. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** Returns the reason of a fault: one form for the log, the terminal and the plugin list. */
export function formatReason(fault: Fault): Reason {
  const parts = [
    ['where', fault.where],
    ['why', fault.why],
    ['fix', fault.fix],
    ['docs', `/errors/${fault.code}`],
  ] as const;
  const lines = parts.filter(([, text]) => text !== undefined).map(([label, text]) => `  ${label.padEnd(5)}  ${text}`);
  return { code: fault.code, message: [fault.what, ...lines].join('\n') };
}

/** Returns the message of a thrown value. */
export function thrownMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
