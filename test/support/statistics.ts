const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

export function quantile(values: readonly number[], q: number): number {
  const list = sorted(values);
  return list[Math.min(list.length - 1, Math.floor(list.length * q))] as number;
}
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Abramowitz and Stegun 7.1.26; good to 1.5e-7. */
function normalTail(z: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2);
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return poly * Math.exp(-(z * z) / 2);
}

/** Two-sided p of the Mann-Whitney U test (normal approximation with ties): small where one sample tends to be greater than the other. */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))].sort(
    (x, y) => x.value - y.value,
  );
  let ranks = 0;
  let ties = 0;
  for (let i = 0; i < all.length; ) {
    let end = i;
    while (end < all.length && all[end]?.value === all[i]?.value) end++;
    const rank = (i + 1 + end) / 2;
    const n = end - i;
    ties += n ** 3 - n;
    for (let j = i; j < end; j++) if (all[j]?.first) ranks += rank;
    i = end;
  }
  const [n, m] = [a.length, b.length];
  const total = n + m;
  const u = ranks - (n * (n + 1)) / 2;
  const spread = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  return spread === 0 ? 1 : normalTail((u - (n * m) / 2) / spread);
}
