/** Runs one statement as the platform role, outside any transaction (a pool with `role: storeloom_platform`). */
export type RateQuery = (statement: {
  text: string;
  values?: unknown[];
}) => Promise<{ rows: unknown[]; rowCount: number | null }>;

/** A counter of requests, with the number that it allows in a window. */
interface Bucket {
  readonly key: string;
  readonly points: number;
  readonly seconds: number;
}
interface BucketState {
  readonly refused: boolean;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

export interface RateBuckets {
  /** Takes one point of each bucket in order, up to the first that has none left. Returns the states of those. */
  take(buckets: readonly Bucket[]): Promise<BucketState[]>;
  /** Deletes buckets whose window is over; returns their number. */
  purge(): Promise<number>;
}

const maxExhausted = 10_000;

/** Creates buckets in the table `core_rate`, which all processes share. */
export function createRateBuckets(query: RateQuery): RateBuckets {
  /** End of the window of exhausted buckets: they are refused without a query. */
  const exhausted = new Map<string, number>();
  const idOf = ({ key, points }: Bucket): string => `${points} ${key}`;

  function remember(bucket: Bucket, end: number): void {
    if (exhausted.size >= maxExhausted) forgetEnded();
    if (exhausted.size < maxExhausted) exhausted.set(idOf(bucket), end);
  }
  function forgetEnded(): void {
    const now = Date.now();
    for (const [id, end] of exhausted) if (end <= now) exhausted.delete(id);
  }

  /** Takes from buckets with different keys, in one statement. */
  async function takeTogether(buckets: readonly Bucket[]): Promise<BucketState[]> {
    if (buckets.length === 0) return [];
    const now = Date.now();
    const values: unknown[] = [
      now,
      ...buckets.flatMap(({ key, seconds }) => [key, now + seconds * 1000]),
      ...buckets.slice(0, -1).map(({ points }) => points),
    ];
    const { rows } = await query({ text: statementFor(buckets.length), values });
    return (rows as { points: number; expire: number }[]).map(({ points: taken, expire }, i) => {
      const bucket = buckets[i] as Bucket;
      if (taken >= bucket.points) remember(bucket, expire);
      return {
        refused: taken > bucket.points,
        remaining: Math.max(0, bucket.points - taken),
        msLeft: Math.max(0, expire - Date.now()),
      };
    });
  }

  return {
    async take(buckets) {
      const states: BucketState[] = [];
      const refused = (): boolean => states.at(-1)?.refused ?? false;
      let next: Bucket[] = [];
      const flush = async (): Promise<void> => {
        states.push(...(await takeTogether(next)));
        next = [];
      };
      for (const bucket of buckets) {
        // A statement can't count in one row twice.
        if (next.some(({ key }) => key === bucket.key)) await flush();
        if (refused()) return states;
        const msLeft = (exhausted.get(idOf(bucket)) ?? 0) - Date.now();
        if (msLeft > 0) {
          await flush();
          if (!refused()) states.push({ refused: true, remaining: 0, msLeft });
          return states;
        }
        next.push(bucket);
      }
      await flush();
      return states;
    },
    async purge() {
      forgetEnded();
      const { rowCount } = await query({ text: 'delete from core_rate where expire < $1', values: [Date.now()] });
      return rowCount ?? 0;
    },
  };
}

/**
 * Each part counts only if the one before it had a point left. Parameters: now, key and end of a new window of each bucket, and the points of
 * all but the last.
 */
function statementFor(count: number): string {
  const parts = Array.from({ length: count }, (_, i) => {
    const before = i === 0 ? '' : ` from b${i - 1} where b${i - 1}.points <= $${2 * count + 1 + i}::int`;
    return `b${i} as (insert into core_rate as r (key, points, expire) select $${2 + 2 * i}, 1, $${3 + 2 * i}::bigint${before}
      on conflict (key) do update set points = case when r.expire <= $1::bigint then 1 else r.points + 1 end,
        expire = case when r.expire <= $1::bigint then excluded.expire else r.expire end
      returning points, expire)`;
  });
  const all = parts.map((_, i) => `select ${i} as i, points, expire from b${i}`);
  return `with ${parts.join(', ')} ${all.join(' union all ')} order by i`;
}
