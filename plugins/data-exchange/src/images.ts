import { catalog } from '@storeloom/commerce';
import { type Ctx, http, type Job, type JobData, notifications, Problem } from '@storeloom/plugin-sdk';
import { type EncodedImage, uploads } from '@storeloom/plugin-workspace/contract';
import type { ImportReport } from './contract.ts';
import { queued } from './queued.ts';
import { rememberImage } from './run-import.ts';

/** So often an image is asked for by the job, with a longer pause each time. */
const maxAttempts = 3;
const maxBytes = 10 * 1024 * 1024;
interface Fault {
  message: string;
  /** It may come when it is asked for again. */
  passing: boolean;
}

/** The image at an address, or why there is none: what the other side answers is no fault of ours. */
async function load(ctx: Ctx, source: string): Promise<Fault | EncodedImage> {
  let answer: { status: number; body: Buffer };
  try {
    answer = await ctx.require(http).fetch(source, { timeoutMs: 5000, maxBytes });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const passing =
      (error.code === 'unavailable' && error.extra.reason !== 'answer_too_large') ||
      error.extra.errors?.[0]?.code === 'host_refused';
    return { message: error.message, passing };
  }
  const { status, body } = answer;
  if (status !== 200) return { message: `responded with ${status}`, passing: status >= 500 || status === 408 || status === 429 };
  try {
    return await ctx.require(uploads).image(body);
  } catch (error) {
    // What it holds is the other side's fault; that too many are being worked on is not.
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    return { message: error.message, passing: false };
  }
}

/** Stores a re-encoded image as an upload and replaces its address in the products. @throws errors of the server */
async function keep(ctx: Ctx, source: string, image: EncodedImage): Promise<void> {
  await ctx.transaction(async (inner) => {
    const { url } = await inner.require(uploads).storeImage(image, new URL(source).pathname);
    if (url === null) throw new Error('an image is public');
    await rememberImage(inner, source, url);
    await inner.require(catalog).replaceImages({ [source]: url });
  });
}

interface Outcome {
  faults: (Fault & { source: string })[];
  /** Images with an unknown result: out of time, or an error of the server. */
  waiting: string[];
  /** What stood in the way. */
  error?: unknown;
}

/** Images that are downloaded simultaneously. */
const downloads = 8;

/**
 * Fetches images until the deadline or the first error of the server. Downloads run in parallel, but the images are stored one after the
 * other: a context has one transaction at a time.
 */
async function fetchAll(ctx: Ctx, sources: readonly string[], budgetMs: number): Promise<Outcome> {
  const until = performance.now() + budgetMs;
  const outcome: Outcome = { faults: [], waiting: [] };
  const waits = (source: string, error: unknown): void => {
    outcome.error ??= error;
    outcome.waiting.push(source);
  };
  for (let i = 0; i < sources.length; i += downloads) {
    const group = sources.slice(i, i + downloads);
    if (outcome.error !== undefined || performance.now() >= until) {
      outcome.waiting.push(...group);
      continue;
    }
    const loaded = await Promise.allSettled(group.map((source) => load(ctx, source)));
    for (const [at, result] of loaded.entries()) {
      const source = group[at] as string;
      if (result.status === 'rejected') waits(source, result.reason);
      else if ('message' in result.value) {
        ctx.log.info({ plugin: 'data-exchange', reason: result.value.message }, 'an image of an import could not be fetched');
        outcome.faults.push({ ...result.value, source });
      } else await keep(ctx, source, result.value).catch((error: unknown) => waits(source, error));
    }
  }
  return outcome;
}

/** Fetches what it can until the deadline; a warning for each image that could not be, the rest goes to a job. */
export async function fetchImages(
  ctx: Ctx,
  sources: readonly string[],
  budgetMs: number,
  userId: string | null,
): Promise<ImportReport['warnings']> {
  const { faults, waiting, error } = await fetchAll(ctx, sources, budgetMs);
  if (error !== undefined) ctx.log.warn({ plugin: 'data-exchange', err: error }, 'images of an import are left to its job');
  if (waiting.length > 0) await ctx.transaction((inner) => inner.enqueue(queued.images, { sources: waiting, userId }));
  return [
    ...faults.map(({ source, message }) => ({ line: null, code: 'image_not_fetched', message: `${source}: ${message}` })),
    ...waiting.map((source) => ({ line: null, code: 'image_later', message: `${source}: is being fetched` })),
  ];
}

/** Retries failed downloads in a separate job; finally reports the number of missing images. */
export const imagesJob: Job<JobData<typeof queued.images>> = {
  transaction: 'none',
  async run(ctx, { sources, userId = null, attempt = 1, lost = 0 }) {
    const { faults, waiting, error } = await fetchAll(ctx, sources, 5 * 60_000);
    if (error !== undefined) ctx.log.error({ plugin: 'data-exchange', err: error, attempt }, 'images of an import failed');
    const last = attempt >= maxAttempts;
    const again = last ? [] : faults.filter(({ passing }) => passing).map(({ source }) => source);
    // Without an error they only ran out of time, which is no attempt.
    const rest = error !== undefined && last ? [] : waiting;
    const missing = lost + faults.length - again.length + waiting.length - rest.length;
    await ctx.transaction(async (inner) => {
      if (again.length + rest.length > 0) {
        const failed = error !== undefined || again.length > 0;
        await inner.enqueue(
          queued.images,
          { sources: [...rest, ...again], userId, attempt: attempt + (failed ? 1 : 0), lost: missing },
          failed ? { startAfter: 30 * 4 ** attempt } : {},
        );
        return;
      }
      if (missing === 0) return;
      await inner.use(notifications)?.notifyStaff({
        type: 'import_images_missing',
        title: { ro: 'Imagini ale importului lipsesc', en: 'Images of the import are missing' },
        body: { ro: `${missing} imagini nu au putut fi preluate.`, en: `${missing} images could not be fetched.` },
        ...(userId === null ? {} : { userIds: [userId] }),
      });
    });
  },
};
