/** What is wrong, where, why, and how to put it right: one form for the log, the terminal and the plugin list. */
export interface Fault {
  /** lower_snake_case, never reused with another meaning. */
  readonly code: string;
  readonly what: string;
  readonly where?: string;
  readonly why?: string;
  readonly fix?: string;
}

/** A reason as it is kept and shown: the message has one line for each part of the fault. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export function reasonOf(fault: Fault): Reason {
  const parts = [
    ['where', fault.where],
    ['why', fault.why],
    ['fix', fault.fix],
    ['docs', `/errors/${fault.code}`],
  ] as const;
  const lines = parts.filter(([, text]) => text !== undefined).map(([label, text]) => `  ${label.padEnd(5)}  ${text}`);
  return { code: fault.code, message: [fault.what, ...lines].join('\n') };
}

/** The block that a person reads: code first, then the reason. */
export function reasonText(reason: Reason): string {
  return `${reason.code}  ${reason.message}`;
}

/** The message of whatever was thrown. */
export function thrownMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
