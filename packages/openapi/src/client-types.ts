import type { Schema } from './client-methods.ts';

/** Components that `@storeloom/client` exports itself. */
export const sharedTypes: ReadonlySet<string> = new Set(['FieldError', 'LocalText', 'Money', 'Problem', 'Warning']);

const prefix = '#/components/schemas/';

/** Writes JSON Schemas as TypeScript and remembers the components that they refer to. */
export class TypeWriter {
  readonly used = new Set<string>();

  /** The type of a schema, on one line. */
  typeOf(schema: Schema): string {
    const {
      $ref,
      enum: values,
      anyOf,
      oneOf,
      allOf,
      type,
    } = schema as {
      $ref?: string;
      enum?: unknown[];
      anyOf?: Schema[];
      oneOf?: Schema[];
      allOf?: Schema[];
      type?: string | string[];
    };
    if ($ref !== undefined) return this.refer($ref.slice(prefix.length));
    if ('const' in schema) return JSON.stringify(schema.const);
    if (values) return union(values.map((value) => JSON.stringify(value)));
    const options = anyOf ?? oneOf;
    if (options) return union(options.map((option) => this.typeOf(option)));
    if (allOf) return allOf.map((part) => grouped(this.typeOf(part))).join(' & ');
    if (Array.isArray(type)) return union(type.map((one) => this.typeOf({ ...schema, type: one })));
    switch (type) {
      case 'object':
        return this.objectOf(schema);
      case 'array':
        return `${grouped(this.typeOf((schema.items as Schema | undefined) ?? {}))}[]`;
      case 'integer':
      case 'number':
        return 'number';
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      default:
        return 'properties' in schema ? this.objectOf(schema) : 'unknown';
    }
  }

  /** The declaration of a component. */
  declarationOf(name: string, schema: Schema): string {
    const { properties } = schema as { properties?: Record<string, Schema> };
    const isInterface = properties !== undefined && schema.type === 'object' && !schema.anyOf && !schema.allOf && !schema.oneOf;
    if (!isInterface) return `export type ${name} = ${this.typeOf(schema)};`;
    const lines = this.properties(schema).map((line) => `  ${line}`);
    return `export interface ${name} {\n${lines.join('\n')}\n}`;
  }

  private refer(name: string): string {
    this.used.add(name);
    return name;
  }

  private objectOf(schema: Schema): string {
    const more = schema.additionalProperties;
    if (Object.keys(schema.properties ?? {}).length > 0) return `{ ${this.properties(schema).join(' ')} }`;
    if (typeof more === 'object' && more !== null) return `Record<string, ${this.typeOf(more as Schema)}>`;
    return more === false ? 'Record<string, never>' : 'Record<string, unknown>';
  }

  private properties(schema: Schema): string[] {
    const {
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      properties?: Record<string, Schema>;
      required?: string[];
      additionalProperties?: unknown;
    };
    const lines = Object.entries(properties).map(
      ([name, property]) => `${keyOf(name)}${required.includes(name) ? '' : '?'}: ${this.typeOf(property)};`,
    );
    // Declared properties must be assignable to the index signature.
    if (additionalProperties === true || (typeof additionalProperties === 'object' && additionalProperties !== null))
      lines.push('[name: string]: unknown;');
    return lines;
  }
}

/** A name of a property, in quotes unless it is an identifier. */
export const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

export const union = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  if (all.includes('unknown')) return 'unknown';
  return all.join(' | ');
};

/** A type that can precede `[]` or `&`. */
export const grouped = (type: string): string => (/ [|&] /.test(type) && !/^\{[^{}]*\}$/.test(type) ? `(${type})` : type);
