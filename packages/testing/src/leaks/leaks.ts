import type { CompiledRoute } from '@storeloom/core/internal';
import { type Choice, columnsOf, type Field, type FieldMode, isChoice, isShape, type Shape, snake } from '@storeloom/plugin-sdk';
import type { TestClient, TestResponse } from '../shop/client.ts';
import type { TestShop } from '../shop/shop.ts';
import { type Samples, sampleValues } from './samples.ts';

type AnyField = Field<unknown, FieldMode>;

/** A request to include in the leak test. */
export interface LeakRequest {
  /** HTTP method. */
  method: string;
  /** Path and query. */
  path: string;
  /** JSON body. */
  body?: Record<string, unknown>;
  /** Further headers. */
  headers?: Record<string, string>;
}
/** Options of `leakFaults`. */
export interface LeakOptions {
  /** Plugins whose private fields are marked; the storefront routes of all loaded plugins are requested. */
  plugins: readonly string[];
  /** Requests that can't be generated, for instance a purchase that succeeds. */
  requests?: readonly LeakRequest[];
  /** Further texts that no response may contain, with the place where they are stored. */
  sentinels?: Readonly<Record<string, string>>;
}
/** Result of `leakFaults`. */
export interface LeakReport {
  /** Number of requests sent. */
  requests: number;
  /** Private places with a recognisable value, `booking_staff.phone`. */
  marked: string[];
  /** Private places without a recognisable value: no row, or only a flag or date. */
  unmarked: string[];
  /** Routes of the plugins that only answered with problems, so that their responses weren't seen. */
  silent: string[];
  /** Responses with a private value, and responses of 500 and above. */
  faults: string[];
}

/**
 * Puts sentinels into every private and sensitive field of the plugins' rows in the first shop, calls every storefront route as a visitor
 * and as a customer, with ids, slugs and codes of the rows in path, query and body, uses the manage tokens that come back, and reads every
 * answer, problems included. The rows must be there before: of the things that a shop has, at least one each.
 */
export async function leakFaults(shop: TestShop, options: LeakOptions): Promise<LeakReport> {
  const sentinels = new Map<string, string>(Object.entries(options.sentinels ?? {}));
  const report: LeakReport = { requests: 0, marked: [], unmarked: [], silent: [], faults: [] };
  await mark(shop, options.plugins, sentinels, report);
  const samples = await sampleValues(shop);
  const callers: [string, TestClient][] = [
    ['a visitor', shop.a.guest],
    ['a customer', await shop.a.customer()],
  ];
  const routes = (shop.kernel.routes as readonly CompiledRoute[]).filter(
    ({ family, path }) => family === 'storefront' && !path.startsWith('/api/v1'),
  );

  const ask = async (name: string, caller: TestClient, { method, path, body, headers }: LeakRequest): Promise<TestResponse> => {
    const answer = await caller.call(method, path, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) });
    report.requests++;
    const said = `${answer.text}\n${JSON.stringify(answer.headers)}`;
    for (const [sentinel, place] of sentinels)
      if (shows(said, sentinel)) report.faults.push(`${method} ${path} as ${name} (${answer.status}) shows ${place}`);
    if (answer.status >= 500 && answer.status !== 501 && answer.status !== 503)
      report.faults.push(`${method} ${path} as ${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer;
  };

  const spoken = new Set<CompiledRoute>();
  const own = (route: CompiledRoute): boolean => route.plugin !== null && options.plugins.includes(route.plugin);
  const visit = async (name: string, caller: TestClient, route: CompiledRoute | undefined, request: LeakRequest) => {
    const answer = await ask(name, caller, request);
    if (answer.status < 300 && route) spoken.add(route);
    const token = (answer.body as { manageToken?: unknown } | null)?.manageToken;
    if (typeof token !== 'string' || !route || !isChoice(route.route.options.body ?? {})) return;
    for (const body of changes(route.route.options.body as Choice, token, samples)) await ask(name, caller, { ...request, body });
  };
  for (const [name, caller] of callers) {
    for (const request of options.requests ?? []) {
      const path = (request.path.split('?', 1)[0] as string).replace(/\/$/, '');
      const route = routes.find((each) => each.route.method === request.method && pattern(each.path).test(path));
      await visit(name, caller, route, request);
    }
    for (const route of routes) for (const request of requestsFor(route, samples)) await visit(name, caller, route, request);
  }
  report.silent = routes.filter((route) => own(route) && !spoken.has(route)).map(({ route, path }) => `${route.method} ${path}`);
  report.faults = [...new Set(report.faults)];
  return report;
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);

/** Finds a number as a whole value, a text anywhere. */
function shows(said: string, sentinel: string): boolean {
  if (/^\d+$/.test(sentinel)) return new RegExp(`(?<!\\d)${sentinel}(?!\\d)`).test(said);
  return said.includes(sentinel) || said.includes(JSON.stringify(sentinel).slice(1, -1));
}

const closed = ({ spec }: AnyField): boolean => spec.private === true || spec.sensitive !== undefined;

let count = 0;
/** Returns a unique value of the field's kind; undefined for kinds whose values can't be distinguished. */
function sentinelFor({ spec }: AnyField): string | number | undefined {
  const n = ++count;
  switch (spec.translatable ? 'translated' : spec.kind) {
    case 'text':
    case 'richText':
    case 'slug':
    case 'file':
      return `zzleak-${n}-zz`;
    case 'email':
      return `zzleak${n}@leak.example`;
    case 'url':
      return `https://leak.example/zzleak${n}`;
    case 'phone':
      return `+40799${String(100_000 + n)}`;
    case 'int':
      return 1_907_180_000 + n;
    case 'money':
      return 90_718_000_000 + n;
    case 'decimal':
      return `9071800${n}`;
    default:
      return undefined;
  }
}

/** Writes what can be written, and keeps in mind what stands there already. */
async function mark(
  shop: TestShop,
  plugins: readonly string[],
  sentinels: Map<string, string>,
  report: LeakReport,
): Promise<void> {
  for (const { plugin, table, sqlName } of shop.kernel.contributions.entities.values()) {
    if (!plugins.includes(plugin)) continue;
    for (const [member, field] of Object.entries(table.fields)) {
      if (field.spec.virtual) continue;
      const place = `${sqlName}.${snake(member)}`;
      const whole = closed(field);
      if (!whole && !holdsClosed(field)) continue;
      const [column] = columnsOf(member, field.spec.kind, false) as [string];
      const before = sentinels.size;
      if (whole && field.spec.kind === 'secret') continue;
      const rows = await shop.rows<{ id: string; value: unknown }>(
        `select id, "${column}" as value from "${sqlName}" where tenant_id = $1 and "${column}" is not null order by id limit 50`,
        [shop.a.id],
      );
      for (const { id, value } of rows) {
        const sentinel = whole ? sentinelFor(field) : undefined;
        const written =
          sentinel !== undefined &&
          (await shop
            .rows(`update "${sqlName}" set "${column}" = $1 where tenant_id = $2 and id = $3 returning 1`, [
              sentinel,
              shop.a.id,
              id,
            ])
            // A rule of the table refuses it: what stands there is looked for instead.
            .then(
              () => true,
              (error: { code?: string }) => {
                if (!error.code?.startsWith('23')) throw error;
                return false;
              },
            ));
        if (written) sentinels.set(String(sentinel), place);
        else for (const text of textsOf(field, value, whole)) sentinels.set(text, place);
      }
      (sentinels.size > before ? report.marked : report.unmarked).push(place);
    }
  }
}

function holdsClosed({ spec }: AnyField): boolean {
  const inner = [...(spec.item ? [spec.item] : []), ...Object.values(spec.shape ?? {})];
  return inner.some((field) => closed(field) || holdsClosed(field));
}

/** Texts of a private value that can be recognised: ids, and what has at least six characters. */
function textsOf(field: AnyField, value: unknown, inside: boolean): string[] {
  const { item, shape, kind, values } = field.spec;
  if (value === null || value === undefined) return [];
  if (item) return (value as unknown[]).flatMap((one) => textsOf(item, one, inside || closed(item)));
  if (shape)
    return Object.entries(shape).flatMap(([name, member]) =>
      textsOf(member, (value as Record<string, unknown>)[name], inside || closed(member)),
    );
  if (!inside || values || ['bool', 'date', 'time', 'instant', 'timeZone'].includes(kind)) return [];
  return leaves(value).filter((text) => text.length >= 6);
}
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** What a route may be asked with what the shop holds. */
function requestsFor({ route, path }: CompiledRoute, samples: Samples): LeakRequest[] {
  const { method, options } = route;
  const paths = samples.paths(path, (options.params ?? {}) as Shape);
  const queries = options.query && !('parse' in options.query) ? samples.queries(options.query as Shape) : ['', '?limit=100'];
  const { body } = options;
  if (method === 'GET')
    return paths.flatMap((each) => [...new Set(['', ...queries])].map((query) => ({ method, path: `${each}${query}` })));
  const shapes = !body ? [] : isChoice(body) ? body['~choice'].shapes : isShape(body) ? [body] : [];
  const bodies: (Record<string, unknown> | undefined)[] =
    shapes.length > 0 ? shapes.flatMap((shape) => samples.bodies(shape)) : [undefined];
  return paths.flatMap((each) => bodies.map((one) => ({ method, path: each, ...(one ? { body: one } : {}) })));
}

/** Everything that a manage token opens. */
function changes(body: Choice, manageToken: string, samples: Samples): Record<string, unknown>[] {
  const shape = body['~choice'].shapes.find((each) => each.manageToken && each.action);
  if (!shape) return [];
  return (shape.action?.spec.values ?? [])
    .toReversed()
    .flatMap((action) => samples.bodies(shape).map((one) => ({ ...one, manageToken, action })));
}
