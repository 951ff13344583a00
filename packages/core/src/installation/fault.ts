import { readdirSync } from 'node:fs';

/** Why a plugin or the licence is not what it should be. Beside these, two codes of the wire are used. */
export const faultCodes = {
  package_missing: {
    title: 'A listed plugin is not installed',
    help: 'Install the package, or take it off the list in storeloom.config.',
  },
  plugin_incompatible: {
    title: 'A plugin does not fit the versions beside it',
    help: 'Install a version of the plugin whose peer ranges fit, or update what it asks for.',
  },
  not_licensed: {
    title: 'The licence does not cover a plugin',
    help: "Activate a licence that names the plugin's entitlement. With STORELOOM_ENV=development every plugin is covered.",
  },
  wrong_environment: {
    title: 'The licence is for another environment',
    help: 'Activate one for what STORELOOM_ENV says: production, staging or development.',
  },
  no_activation: {
    title: 'The licence was made for another installation',
    help: 'Activate its key here; moved installations keep their data directory.',
  },
  not_yet_valid: { title: 'The licence is not valid yet', help: "Set the server's clock, or wait until the licence begins." },
  requires_missing: {
    title: 'A plugin requires another one that is not there',
    help: 'Install the required plugin and add it to the list in storeloom.config.',
  },
  requires_failed: {
    title: 'A plugin requires another one that is not ready',
    help: 'Look at the reason of the required plugin.',
  },
  import_failed: {
    title: "A plugin's module can't be imported",
    help: 'Read what it threw; build the plugin where `dist` is missing.',
  },
  import_timeout: {
    title: "A plugin's module takes too long to import",
    help: 'Move work out of the top level of its modules.',
  },
  contribution_invalid: {
    title: 'A plugin contributes something that the kernel refuses',
    help: 'Correct what the reason names in its package.json or its definePlugin.',
  },
  migration_pending: { title: 'A migration has not run', help: 'Run storeloom migrate.' },
  migration_failed: {
    title: 'A migration failed and was rolled back',
    help: 'Correct the cause that the reason names and run storeloom migrate again.',
  },
} as const satisfies Record<string, { title: string; help: string }>;

type FaultCode = keyof typeof faultCodes | 'signature_invalid' | 'expired';

/** What is wrong, where, why, and how to put it right: one form for the log, the terminal and the plugin list. */
export interface Fault {
  /** lower_snake_case, never reused with another meaning. */
  readonly code: FaultCode;
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
