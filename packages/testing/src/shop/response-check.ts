import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Record<string, unknown>;
interface Answered {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}
interface Operation {
  name: string;
  responses: Readonly<Record<string, Json>>;
}

/** Codes that any route can answer with, independent of its declaration. */
const general: ReadonlySet<string> = new Set([
  'internal',
  'unavailable',
  'not_acceptable',
  'method_not_allowed',
  'payload_too_large',
  'malformed_request',
]);

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Compares responses with the OpenAPI document of the installation: status, headers, body, and the code of a problem. Each difference is
 * kept once, as a sentence that names the operation, the place and what to change.
 */
export class ResponseCheck {
  private readonly read: () => Promise<Json>;
  private readonly found = new Set<string>();
  private document: Promise<{ resolve(node: Json): Json; find(method: string, path: string): Operation | undefined }> | undefined;
  private readonly validators = new Map<Json, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, inlineRefs: false });

  /** `read` returns the document. It is called once, when the first response is checked. */
  constructor(read: () => Promise<Json>) {
    this.read = read;
    this.ajv.addFormat('uuid', uuid);
    this.ajv.addFormat('date-time', instant);
    this.ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.ajv.addFormat('email', /@/);
    this.ajv.addFormat('uri', { validate: (text: string) => URL.canParse(text) });
    this.ajv.addFormat('password', true);
  }

  /** Differences found so far. */
  get differences(): readonly string[] {
    return [...this.found].sort();
  }

  /** Adds a difference that was found elsewhere. */
  add(difference: string): void {
    this.found.add(difference);
  }

  /** Checks one response. `path` may have a query. */
  async check(method: string, path: string, answered: Answered): Promise<void> {
    this.document ??= this.read().then((document) => this.open(document));
    const { resolve, find } = await this.document;
    const operation = find(method === 'HEAD' ? 'GET' : method, path.split('?', 1)[0] as string);
    if (!operation || method === 'OPTIONS') return;
    const { status, headers, body } = answered;
    const at = `${operation.name} ${status}`;
    // A part of a declared file needs no declaration of its own (RFC 9110, 15.3.7).
    const declared = operation.responses[String(status === 206 ? 200 : status)];
    const type = String(headers['content-type'] ?? '').split(';', 1)[0] as string;
    if (status >= 400) {
      const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: string };
      if (method === 'HEAD' || type !== 'application/problem+json' || code === undefined || general.has(code)) return;
      if (!declared || !codesOf(resolve(declared)).includes(code))
        this.add(
          status >= 500
            ? `${at}: the server failed. STORELOOM_TEST_LOG=1 prints the error.`
            : `${at}: the code ${code} isn't declared. Add it to \`problems\` of the route; for a tap of a hook, name the route in \`errors.${code}.routes\` of the plugin.`,
        );
      return;
    }
    if (!declared) {
      this.add(`${at}: the status isn't declared. Set \`status\` of the route, or add it to \`otherResponses\`.`);
      return;
    }
    const { content = {}, headers: expected = {} } = resolve(declared) as { content?: Json; headers?: Json };
    for (const name of status === 304 ? ['ETag'] : ['ETag', 'Link', 'Idempotency-Replayed', 'RateLimit', 'RateLimit-Policy'])
      if (name.toLowerCase() in headers && !(name in expected)) this.add(`${at}: the header ${name} is sent but not declared.`);
    if (method === 'GET' && status === 200 && 'ETag' in expected && !('etag' in headers))
      this.add(`${at}: the header ETag is declared but not sent.`);
    if (status === 304 || method === 'HEAD') return;
    const media = [type, '*/*'].map((each) => (content as Record<string, Json>)[each]).find(Boolean);
    if (!media) {
      if (Object.keys(content).length > 0 || (body !== '' && body !== undefined))
        this.add(
          `${at}: the media type ${type || 'of an empty body'} isn't declared. Set \`produces\` or \`response\` of the route.`,
        );
      return;
    }
    if (type !== 'application/json') return;
    const validate = this.validatorOf(media.schema as Json);
    if (validate(body)) return;
    for (const { instancePath, message, params } of validate.errors ?? []) {
      const where = `${instancePath.replace(/\/\d+(?=\/|$)/g, '/0')} ${message} ${JSON.stringify(params)}`;
      this.add(`${at}: the body differs from \`response\`: ${where}.`);
    }
  }

  private open(document: Json) {
    this.ajv.addSchema({ $id: 'document', components: document.components });
    const resolve = (node: Json): Json => {
      if (typeof node.$ref !== 'string') return node;
      const steps = node.$ref.split('/').slice(1);
      return steps.reduce<unknown>((value, step) => (value as Json)[step], document) as Json;
    };
    const operations = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        steps: path.split('/'),
        operation: {
          name: `${method.toUpperCase()} ${path}`,
          responses: (operation as { responses: Record<string, Json> }).responses,
        },
      })),
    );
    const find = (method: string, path: string): Operation | undefined => {
      const steps = path.replace(/(?<=.)\/$/, '').split('/');
      let best: { operation: Operation; literal: string } | undefined;
      for (const { method: other, steps: pattern, operation } of operations) {
        if (other !== method || pattern.length !== steps.length) continue;
        if (!pattern.every((step, i) => step.startsWith('{') || step === steps[i])) continue;
        const literal = pattern.map((step) => (step.startsWith('{') ? '0' : '1')).join('');
        if (!best || literal > best.literal) best = { operation, literal };
      }
      return best?.operation;
    };
    return { resolve, find };
  }

  private validatorOf(schema: Json): ValidateFunction {
    let validate = this.validators.get(schema);
    if (!validate) {
      const located = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as Json;
      this.validators.set(schema, (validate = this.ajv.compile(located)));
    }
    return validate;
  }
}

function codesOf(response: Json): readonly string[] {
  const { content = {} } = response as { content?: Record<string, { schema?: { allOf?: Json[] } }> };
  const parts = content['application/problem+json']?.schema?.allOf ?? [];
  return parts.flatMap((part) => (part.properties as { code?: { enum?: string[] } } | undefined)?.code?.enum ?? []);
}

const checks = new Map<string, ResponseCheck>();

/** Checks all responses of a process to test clients from now on. */
export function checkResponsesOf(base: string, check: ResponseCheck): void {
  checks.set(base, check);
}
/** Ends the checks of a process. */
export function endChecksOf(base: string): void {
  checks.delete(base);
}
/** Returns the check of a process; undefined if its responses aren't checked. */
export function checkOf(base: string): ResponseCheck | undefined {
  return checks.get(base);
}
