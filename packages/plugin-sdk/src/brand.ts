/**
 * Classes that cross package borders are known by a brand, so that a plugin with a copy of the SDK of its own still meets the kernel's.
 * Subclasses keep the ordinary `instanceof`.
 */
export function branded(self: unknown, base: unknown, brand: symbol, value: unknown): boolean {
  if (self !== base) return Function.prototype[Symbol.hasInstance].call(self, value);
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
