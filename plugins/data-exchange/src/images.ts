import { catalog } from '@storeloom/plugin-catalog/contract';
import { type Ctx, files, http, type Job } from '@storeloom/plugin-sdk';
import type { ImportReport } from './contract.ts';
import { rememberImage } from './run-import.ts';

const parallel = 8;
const maxBytes = 10 * 1024 * 1024;
const kinds: readonly [RegExp, string, string][] = [
  [/^\x89PNG/, 'image/png', 'png'],
  [/^\xff\xd8\xff/, 'image/jpeg', 'jpg'],
  [/^GIF8/, 'image/gif', 'gif'],
  [/^RIFF....WEBP/s, 'image/webp', 'webp'],
];

/** Fetches one image past the guard, tells its kind by its first bytes, and keeps it. Gives what went wrong, or nothing. */
async function fetchImage(ctx: Ctx, source: string): Promise<string | undefined> {
  try {
    const answer = await ctx.require(http).fetch(source, { timeoutMs: 5000, maxBytes });
    if (answer.status !== 200) return `answered ${answer.status}`;
    const head = answer.body.subarray(0, 16).toString('latin1');
    const kind = kinds.find(([pattern]) => pattern.test(head));
    if (!kind) return 'is no PNG, JPEG, GIF or WebP image';
    await ctx.transaction(async (inner) => {
      const store = inner.require(files);
      const kept = await store.put(answer.body, {
        name: `image.${kind[2]}`,
        contentType: kind[1],
        public: true,
        purpose: 'image',
      });
      const url = store.url(kept.key);
      await rememberImage(inner, source, url);
      await inner.require(catalog).replaceImages({ [source]: url });
    });
    return undefined;
  } catch (error) {
    ctx.log.info({ plugin: 'data-exchange', err: error }, 'an image of an import could not be fetched');
    return error instanceof Error ? error.message.split('\n', 1)[0] : 'could not be fetched';
  }
}

/** Fetches what it can until the deadline; a warning for each image that could not be, the rest goes to a job. */
export async function fetchImages(ctx: Ctx, sources: readonly string[], budgetMs: number): Promise<ImportReport['warnings']> {
  const warnings: ImportReport['warnings'] = [];
  const until = performance.now() + budgetMs;
  const waiting = [...sources];
  await Promise.all(
    Array.from({ length: Math.min(parallel, waiting.length) }, async () => {
      while (waiting.length > 0 && performance.now() < until) {
        const source = waiting.shift() as string;
        const fault = await fetchImage(ctx, source);
        if (fault !== undefined) warnings.push({ line: null, code: 'image_not_fetched', message: `${source}: ${fault}` });
      }
    }),
  );
  if (waiting.length > 0) {
    await ctx.transaction((inner) => inner.enqueue('images', { sources: waiting }));
    for (const source of waiting) warnings.push({ line: null, code: 'image_later', message: `${source}: is being fetched` });
  }
  return warnings;
}

export const imagesJob: Job = {
  transaction: 'none',
  retryLimit: 3,
  async run(ctx, { sources }) {
    await fetchImages(ctx, sources as string[], 5 * 60_000);
  },
};
