import { faultCodes } from '../installation/fault.ts';
import type { ProblemTable } from './problems.ts';

/** Response of `/errors/<code>`. */
export interface ErrorDocument {
  code: string;
  /** The `type` of problems with this code. */
  type: string;
  /** Null for codes that appear in the terminal and the plugin list only. */
  status: number | null;
  title: string;
  /** How to fix it. */
  help: string;
}

/** For domain codes without help of their own. */
const helpOfStatus: Readonly<Record<number, string>> = {
  400: 'Correct the request; `detail` says where.',
  401: 'Sign in again.',
  402: 'Pay, or move to another plan, then repeat the request.',
  403: 'Ask an administrator for the permission.',
  404: 'Check the address and the id.',
  409: 'Read the current state and the properties of the response, then decide again.',
  410: 'Request a new one.',
  412: 'Read the object again and apply the change to its new version.',
  413: 'Send a smaller body.',
  415: 'Send a media type that the route accepts.',
  422: 'Correct the properties that `errors` points at; `detail` gives the rule.',
  429: 'Wait for the seconds of `Retry-After`.',
  501: 'Let an administrator configure the provider.',
  502: 'Try again later; another service returned an invalid response.',
  503: 'Wait for the seconds of `Retry-After` and send the same request again.',
};
const anyHelp = 'See `detail` of the response.';

/** Looks up a code; undefined if it is unknown. */
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
