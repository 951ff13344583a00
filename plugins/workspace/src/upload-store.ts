import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Ctx, files, invalid, provide, quotas, type quotaUsage, sql, type TapFn } from '@storeloom/plugin-sdk';
import { type StoredUpload, type UploadPurpose, uploads } from './contract.ts';
import { type ReceivedForm, receiveForm } from './upload-form.ts';
import { reencode } from './upload-image.ts';
import { typeOf } from './upload-type.ts';

export const purposes = ['image', 'document', 'digital', 'import'] as const satisfies readonly UploadPurpose[];
/** Of a file that comes through us; a direct one may be larger. */
export const maxUploadBytes = 20 * 1024 * 1024;
const publicPurposes: ReadonlySet<UploadPurpose> = new Set(['image', 'document']);
const megabyte = 1024 * 1024;
const resource = 'storageMb';

async function usedBytes(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ bytes: number }>(
    sql`select coalesce(sum(size), 0)::int8 as bytes from core_file where tenant_id = ${ctx.tenant.id}`,
  );
  return row?.bytes ?? 0;
}
/** Checks the plan's storage; serialises simultaneous uploads. @throws Problem 402 `quota_exceeded` */
export async function requireRoom(ctx: Ctx, bytes: number): Promise<void> {
  await ctx
    .use(quotas)
    ?.require(resource, async () => Math.ceil((await usedBytes(ctx)) / megabyte), Math.max(1, Math.ceil(bytes / megabyte)));
}
export const storageUsage: TapFn<typeof quotaUsage> = async (ctx) => [
  { resource, used: Math.ceil((await usedBytes(ctx)) / megabyte) },
];

interface Checked {
  content: Readable | Buffer;
  size: number;
  contentType: string;
  extension: string;
  width: number | null;
  height: number | null;
}
/** What is really in the file, ready to be stored. */
export async function check(form: Pick<ReceivedForm, 'path' | 'size' | 'contentType'>, purpose: UploadPurpose): Promise<Checked> {
  if (form.size === 0) throw invalid('/file', 'required', 'is empty');
  if (purpose === 'image') {
    const image = await reencode(await readFile(form.path));
    return { ...image, size: image.content.length };
  }
  const type = await typeOf(form.path, purpose, form.contentType);
  return { ...type, content: createReadStream(form.path), size: form.size, width: null, height: null };
}

/** A name whose ending says what the bytes are. */
function nameWith(name: string, extension: string): string {
  const stem =
    name
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\.[^.]*$/, '') || 'file';
  return `${stem.slice(0, 200)}.${extension}`;
}

export async function store(
  ctx: Ctx,
  checked: Checked,
  { name, purpose, key }: { name: string; purpose: UploadPurpose; key?: string },
): Promise<StoredUpload> {
  const { content, contentType, extension, size, width, height } = checked;
  await requireRoom(ctx, size);
  const isPublic = publicPurposes.has(purpose);
  const service = ctx.require(files);
  const kept = await service.put(content, {
    name: nameWith(name, extension),
    contentType,
    public: isPublic,
    purpose,
    ...(key === undefined ? {} : { key }),
  });
  return { key: kept.key, url: isPublic ? service.url(kept.key) : null, contentType, size: kept.size, width, height };
}

export const uploadsProvider = provide(uploads, (ctx) => ({
  async receive({ stream, headers }, { purpose, maxBytes = maxUploadBytes }) {
    const form = await receiveForm(stream as Readable, headers, { maxBytes, fields: [] });
    try {
      const checked = await check(form, purpose);
      return await ctx.transaction((inner) => store(inner, checked, { name: form.name, purpose }));
    } finally {
      await form.remove();
    }
  },
  image: (bytes) => reencode(bytes),
  storeImage: (image, name) => store(ctx, { ...image, size: image.content.length }, { name, purpose: 'image' }),
}));
