import { type Field, type FieldMode, type Shape, snake } from '@storeloom/plugin-sdk';
import type { TestShop } from '../shop/shop.ts';

/** Values for requests, made of what the first shop holds. */
export interface Samples {
  /** A path with its parameters filled in, in several ways. */
  paths(path: string, params: Shape): string[];
  queries(shape: Shape): string[];
  /** The least that a shape takes, and everything. */
  bodies(shape: Shape): Record<string, unknown>[];
}

const most = 6;
const hour = 3_600_000;

export async function sampleValues(shop: TestShop): Promise<Samples> {
  const ids = new Map<string, string[]>();
  const names: string[] = [];
  for (const [entity, { table, sqlName }] of shop.kernel.contributions.entities) {
    const shown = ['slug', 'code', 'reference', 'number', 'sku', 'path'].filter(
      (name) => table.fields[name] && !table.fields[name].spec.virtual,
    );
    const rows = await shop.rows<Record<string, string | null>>(
      `select ${['id', ...shown.map((name) => `"${snake(name)}"::text`)].join(', ')} from "${sqlName}" where tenant_id = $1 order by id limit ${most}`,
      [shop.a.id],
    );
    ids.set(
      entity,
      rows.map((row) => row.id as string),
    );
    for (const row of rows) for (const name of shown) if (row[snake(name)]) names.push(row[snake(name)] as string);
  }
  const everyId = [...ids.values()].flat();
  const start = Math.ceil(shop.clock.ms() / hour) * hour + 24 * hour;

  /** `turn`: the how manieth value of its kind; times come after one another. */
  const valueFor = ({ spec }: Field<unknown, FieldMode>, name: string, turn: number): unknown => {
    const { min = 0, max } = spec;
    switch (spec.kind) {
      case 'ref':
        return ids.get(spec.target as string)?.[0] ?? everyId[0];
      case 'id': {
        const noun = name.replace(/Id$/, '');
        const named = [...ids].find(
          ([entity, list]) => list.length > 0 && entity.endsWith(`.${snake(noun).replaceAll('_', '-')}`),
        );
        return named?.[1][0] ?? everyId[0];
      }
      case 'email':
        return 'visitor@visit.example';
      case 'phone':
        return '+40 722 000 111';
      case 'url':
        return 'https://visit.example/';
      case 'slug':
        return names[0] ?? 'visit';
      case 'int':
      case 'ppm':
      case 'bp':
        return Math.max(min, Math.min(max ?? 1, 1));
      case 'decimal':
        return String(Math.max(min, 1));
      case 'money':
        return { amount: Math.max(min, 100), currency: 'RON' };
      case 'bool':
        return true;
      case 'date':
        return new Date(start + turn * 24 * hour).toISOString().slice(0, 10);
      case 'time':
        return '12:00';
      case 'instant':
        return new Date(start + turn * hour).toISOString();
      case 'timeZone':
        return 'Europe/Bucharest';
      case 'oneOf':
        return spec.values?.[0];
      case 'json':
        return {};
      case 'list':
        return min === 0 && !spec.item ? [] : [valueFor(spec.item as Field<unknown, FieldMode>, name.replace(/s$/, ''), turn)];
      case 'object':
        return fill(spec.shape as Shape, true);
      default:
        return 'Visit'.padEnd(Math.max(min, 5), 'x').slice(0, max ?? 200);
    }
  };
  function fill(shape: Shape, all: boolean): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const turns = new Map<string, number>();
    for (const [name, field] of Object.entries(shape)) {
      const { spec } = field;
      // A honeypot is left empty by people.
      if (spec.readonly || name === 'website' || (!all && (spec.nullable || spec.hasDefault))) continue;
      const turn = turns.get(spec.kind) ?? 0;
      turns.set(spec.kind, turn + 1);
      const value = valueFor(field, name, turn);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  return {
    paths(path, params) {
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
      if (parameters.length === 0) return [path];
      const fillers = (parameter: string): string[] => (params[parameter] ? [...new Set(names), ...everyId] : everyId);
      const width = Math.max(1, ...parameters.map((parameter) => fillers(parameter).length));
      return Array.from({ length: Math.min(width, 200) }, (_, i) =>
        path.replace(/\{(\w+)\}/g, (_match, parameter: string) => {
          const list = fillers(parameter);
          return encodeURIComponent(list[i % Math.max(1, list.length)] ?? 'visit');
        }),
      );
    },
    queries: (shape) =>
      [fill(shape, false), fill(shape, true)].map((values) => {
        const query = new URLSearchParams();
        for (const [name, value] of Object.entries(values)) query.set(name, String(value));
        const text = query.toString();
        return text === '' ? '' : `?${text}`;
      }),
    bodies: (shape) => [fill(shape, false), fill(shape, true)],
  };
}
