import type { GuardedHttp, Log } from '@storeloom/plugin-sdk';
import { type ParsedVat, splitVat } from './number.ts';

export interface RegisterResult {
  status: 'valid' | 'invalid' | 'unavailable';
  name: string | null;
  /** Proof of the check, returned only to an identified requester. */
  consultationNumber: string | null;
}
/** A register of VAT numbers. Every failure is `unavailable`, never `invalid`. */
export interface VatRegister {
  check(number: ParsedVat, requester: ParsedVat | undefined): Promise<RegisterResult>;
}

const unavailable: RegisterResult = { status: 'unavailable', name: null, consultationNumber: null };

/** VIES returns `---` for undisclosed values. */
function text(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const trimmed = value.replaceAll('\0', '').normalize('NFC').trim();
  return trimmed === '' || /^-+$/.test(trimmed) ? null : trimmed.slice(0, max);
}

/** Client of the VIES REST API. */
export function vies({
  http,
  log,
  baseUrl,
  timeoutMs = 8000,
}: {
  http: GuardedHttp;
  log: Log;
  baseUrl: string;
  timeoutMs?: number;
}): VatRegister {
  return {
    async check(number, requester) {
      const { prefix, rest } = splitVat(number);
      const requesterParts = requester && splitVat(requester);
      const body = {
        countryCode: prefix,
        vatNumber: rest,
        ...(requesterParts ? { requesterMemberStateCode: requesterParts.prefix, requesterNumber: requesterParts.rest } : {}),
      };
      try {
        const response = await http.fetch(`${baseUrl.replace(/\/+$/, '')}/check-vat-number`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(body),
          timeoutMs,
          maxBytes: 100_000,
        });
        if (response.status !== 200) throw new Error(`VIES responded with ${response.status}`);
        return parseResponse(JSON.parse(response.body.toString('utf8')));
      } catch (error) {
        log.warn({ plugin: 'taxes', country: prefix, err: error }, 'VIES is unavailable');
        return unavailable;
      }
    },
  };
}

/** A failure of a member state's system is reported as `valid: false` with an error. */
function parseResponse(response: unknown): RegisterResult {
  if (typeof response !== 'object' || response === null) throw new Error('The VIES response is not an object');
  const { valid, userError, errorWrappers, name, requestIdentifier } = response as Record<string, unknown>;
  const error = typeof userError === 'string' ? userError : '';
  if (typeof valid !== 'boolean' || errorWrappers !== undefined || !['', 'VALID', 'INVALID'].includes(error))
    throw new Error(`VIES returned ${error || 'no result'}`);
  return {
    status: valid ? 'valid' : 'invalid',
    name: text(name, 500),
    consultationNumber: text(requestIdentifier, 60),
  };
}
