import type { GuardedHttp, Log } from '@storeloom/plugin-sdk';
import { type ParsedVat, splitVat } from './number.ts';

export interface RegisterAnswer {
  status: 'valid' | 'invalid' | 'unavailable';
  name: string | null;
  /** Proof of the question, given to those who say who asks. */
  consultationNumber: string | null;
}
/** A register of VAT numbers. Whatever goes wrong is `unavailable`, never `invalid`. */
export interface VatRegister {
  check(number: ParsedVat, requester: ParsedVat | undefined): Promise<RegisterAnswer>;
}

const unavailable: RegisterAnswer = { status: 'unavailable', name: null, consultationNumber: null };

/** VIES writes `---` for what a member state doesn't disclose. */
function text(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return null;
  const trimmed = value.replaceAll('\0', '').normalize('NFC').trim();
  return trimmed === '' || /^-+$/.test(trimmed) ? null : trimmed.slice(0, max);
}

/** The REST interface of VIES. */
export function vies({ http, log, baseUrl }: { http: GuardedHttp; log: Log; baseUrl: string }): VatRegister {
  return {
    async check(number, requester) {
      const { prefix, rest } = splitVat(number);
      const asks = requester && splitVat(requester);
      const body = {
        countryCode: prefix,
        vatNumber: rest,
        ...(asks ? { requesterMemberStateCode: asks.prefix, requesterNumber: asks.rest } : {}),
      };
      try {
        const answer = await http.fetch(`${baseUrl.replace(/\/+$/, '')}/check-vat-number`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(body),
          timeoutMs: 8000,
          maxBytes: 100_000,
        });
        if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
        return read(JSON.parse(answer.body.toString('utf8')));
      } catch (error) {
        log.warn({ plugin: 'taxes', country: prefix, err: error }, 'the VAT register gave no answer');
        return unavailable;
      }
    },
  };
}

/** A failure of a member state's own system comes as `valid: false` with an error beside it. */
function read(answer: unknown): RegisterAnswer {
  if (typeof answer !== 'object' || answer === null) throw new Error('the answer is no object');
  const { valid, userError, errorWrappers, name, requestIdentifier } = answer as Record<string, unknown>;
  const error = typeof userError === 'string' ? userError : '';
  if (typeof valid !== 'boolean' || errorWrappers !== undefined || !['', 'VALID', 'INVALID'].includes(error))
    throw new Error(`the answer says ${error || 'nothing'}`);
  return {
    status: valid ? 'valid' : 'invalid',
    name: text(name, 500),
    consultationNumber: text(requestIdentifier, 60),
  };
}
