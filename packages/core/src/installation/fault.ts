import { readdirSync } from 'node:fs';
import { type Fault as AnyFault, formatReason, type Reason } from '@storeloom/keys';

/** Errors of plugins and licence. Two codes of the API are used in addition. */
export const faultCodes = {
  package_missing: {
    title: 'Plugin not installed',
    help: 'Install the package, or remove it from the list in storeloom.config.',
  },
  plugin_incompatible: {
    title: 'Incompatible plugin version',
    help: 'Install a version of the plugin with matching peer ranges, or update the packages it requires.',
  },
  not_licensed: {
    title: 'Plugin not covered by the licence',
    help: "Activate a licence with the plugin's entitlement. With STORELOOM_ENV=development every plugin is covered.",
  },
  wrong_environment: {
    title: 'Licence for another environment',
    help: 'Activate a licence for the environment in STORELOOM_ENV: production, staging or development.',
  },
  no_activation: {
    title: 'Licence of another installation',
    help: 'Activate its key here. When you move an installation, keep its data directory.',
  },
  not_yet_valid: { title: 'Licence not valid yet', help: "Correct the server's clock, or wait until the licence is valid." },
  requires_missing: {
    title: 'Required plugin missing',
    help: 'Install the required plugin and add it to the list in storeloom.config.',
  },
  requires_failed: {
    title: 'Required plugin not ready',
    help: 'Resolve the error of the required plugin.',
  },
  import_failed: {
    title: 'Plugin import failed',
    help: 'Read the error; build the plugin if `dist` is missing.',
  },
  import_timeout: {
    title: 'Plugin import timed out',
    help: 'Move work out of the top level of its modules.',
  },
  contribution_invalid: {
    title: 'Invalid plugin contribution',
    help: 'Correct the stated part of its package.json or definePlugin.',
  },
  migration_pending: { title: 'Migration pending', help: 'Run storeloom migrate.' },
  migration_failed: {
    title: 'Migration failed and rolled back',
    help: 'Correct the stated cause and run storeloom migrate again.',
  },
} as const satisfies Record<string, { title: string; help: string }>;

type FaultCode = keyof typeof faultCodes | 'signature_invalid' | 'expired';

/** What is wrong, where, why, and how to fix it: one form for log, terminal and plugin list. */
export interface Fault extends AnyFault {
  readonly code: FaultCode;
}

export const reasonOf = (fault: Fault): Reason => formatReason(fault);

/** Formats a reason for the terminal: code first, then the message. */
export function reasonText(reason: Reason): string {
  return `${reason.code}  ${reason.message}`;
}

/** Top-level folders of this machine, to distinguish file paths from paths of routes. */
let roots: ReadonlySet<string> | undefined;
const rootsOf = (): ReadonlySet<string> => (roots ??= new Set(readdirSync('/')));

/** Absolute paths and file URLs of any platform, up to white space, a quote or a bracket. */
const paths = /(?:file:\/\/\/|(?<![\w./\\~-])\/|\b[A-Za-z]:[\\/])[^\s'"`<>()[\]{},;]+/g;

/** Shortens file paths in a text to their last part, or to the part from the last `node_modules`, to hide the layout of the server. */
export function withoutPaths(text: string): string {
  return text.replace(paths, (path) => {
    const parts = path.replace(/^file:\/\//, '').split(/[\\/]/);
    const [drive = '', first = ''] = parts;
    if (!path.startsWith('file:') && drive === '' && !rootsOf().has(first)) return path;
    const modules = parts.lastIndexOf('node_modules');
    return modules >= 0 ? parts.slice(modules).join('/') : `…/${parts.slice(-2).join('/')}`;
  });
}
