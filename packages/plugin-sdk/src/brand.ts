/**
 * Implements `instanceof` by a brand, so that classes of two copies of the SDK are compatible. Subclasses keep the ordinary `instanceof`.
 */
export function branded(self: unknown, base: unknown, brand: symbol, value: unknown): boolean {
  if (self !== base) return Function.prototype[Symbol.hasInstance].call(self, value);
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
