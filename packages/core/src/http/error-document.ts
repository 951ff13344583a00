import { faultCodes } from '../installation/fault.ts';
import type { ProblemTable } from './problems.ts';

/** What `/errors/<code>` says of a code. */
export interface ErrorDocument {
  code: string;
  /** As in a problem's `type`. */
  type: string;
  /** Null for what only the terminal and the plugin list tell. */
  status: number | null;
  title: string;
  /** What the reader can do about it. */
  help: string;
}

/** For domain codes that have no advice of their own. */
const helpOfStatus: Readonly<Record<number, string>> = {
  400: 'Correct the request; `detail` says where.',
  401: 'Sign in again.',
  402: 'Pay, or move to another plan, then repeat the request.',
  403: 'Ask somebody who may do this, or who can allow it.',
  404: 'Check the address and the id.',
  409: 'Read the present state, and the members of the answer, and decide anew.',
  410: 'Ask for a new one.',
  412: 'Read the thing again and apply the change to that.',
  413: 'Send less at once.',
  415: 'Send a media type that the route takes.',
  422: 'Correct the members that `errors` points at; `detail` gives the rule.',
  429: 'Wait for the seconds of `Retry-After`.',
  501: 'Let an administrator configure the provider.',
  502: 'Try again later; another service did not answer as it should.',
  503: 'Wait for the seconds of `Retry-After` and send the same request again.',
};
const anyHelp = '`detail` of the answer says more.';

/** Undefined: nothing has this code. */
export function errorDocument(code: string, table: ProblemTable): ErrorDocument | undefined {
  const type = `urn:storeloom:error:${code}`;
  const wire = table.get(code);
  if (wire) {
    const { status, title, help = helpOfStatus[status] ?? anyHelp } = wire;
    return { code, type, status, title, help };
  }
  if (!Object.hasOwn(faultCodes, code)) return undefined;
  return { code, type, status: null, ...faultCodes[code as keyof typeof faultCodes] };
}
