import { readdirSync } from 'node:fs';

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

/** First folders of this machine, whose names a path of its file system begins with; a route's path does not. */
let roots: ReadonlySet<string> | undefined;
const rootsOf = (): ReadonlySet<string> => (roots ??= new Set(readdirSync('/')));

/** Absolute paths and file URLs, of either platform, up to white space, a quote or a bracket. */
const paths = /(?:file:\/\/\/|(?<![\w./\\~-])\/|\b[A-Za-z]:[\\/])[^\s'"`<>()[\]{},;]+/g;

/** The text without where on the server something lies: of a path its end stays, from the last `node_modules` on where there is one. */
export function withoutPaths(text: string): string {
  return text.replace(paths, (path) => {
    const parts = path.replace(/^file:\/\//, '').split(/[\\/]/);
    const [drive = '', first = ''] = parts;
    if (!path.startsWith('file:') && drive === '' && !rootsOf().has(first)) return path;
    const modules = parts.lastIndexOf('node_modules');
    return modules >= 0 ? parts.slice(modules).join('/') : `…/${parts.slice(-2).join('/')}`;
  });
}
