import type { Readable } from 'node:stream';
import {
  type Ctx,
  f,
  files,
  fileUses,
  invalid,
  noContent,
  notFound,
  platformRoute,
  problem,
  reply,
  route,
} from '@storeloom/plugin-sdk';
import { shopOrigin } from '@storeloom/plugin-sdk/public';
import type { StoredUpload, UploadPurpose } from './contract.ts';
import { receiveForm } from './upload-form.ts';
import { check, maxUploadBytes, purposes, requireRoom, store } from './upload-store.ts';

const megabyte = 1024 * 1024;
/** Largest file that a form of `presign` takes. */
const directBytes: Record<UploadPurpose, number> = {
  image: maxUploadBytes,
  document: maxUploadBytes,
  digital: 100 * megabyte,
  import: 50 * megabyte,
};
const formSeconds = 15 * 60;
/** Around the file: boundaries, part headers, the other fields. */
const formOverhead = 64 * 1024;

const response = {
  key: f.text(),
  url: f.text().optional(),
  contentType: f.text(),
  size: f.int(),
  width: f.int().optional(),
  height: f.int().optional(),
};
const answer = (ctx: Ctx, stored: StoredUpload) =>
  reply(201, stored, stored.url === null ? {} : { location: `${shopOrigin(ctx)}${stored.url}` });
const isPurpose = (text: string | undefined): text is UploadPurpose => (purposes as readonly string[]).includes(text ?? '');

const upload = route(
  'POST',
  '/uploads/',
  {
    permission: 'workspace.upload.create',
    summary: 'Upload a file: a multipart form of `purpose` (image, document, digital, import) and `file`',
    transaction: 'none',
    rawBody: 'stream',
    contentTypes: ['multipart/form-data'],
    maxBytes: maxUploadBytes + formOverhead,
    response,
    status: 201,
    problems: ['payload_too_large', 'quota_exceeded', 'unavailable'],
  },
  async (ctx, req) => {
    const form = await receiveForm(req.stream as Readable, req.headers, { maxBytes: maxUploadBytes, fields: ['purpose'] });
    try {
      const { purpose } = form.fields;
      if (!isPurpose(purpose))
        throw invalid('/purpose', purpose === undefined ? 'required' : 'invalid', `must be one of ${purposes.join(', ')}`);
      const checked = await check(form, purpose);
      return answer(
        ctx,
        await ctx.transaction(async (inner) => {
          const stored = await store(inner, checked, { name: form.name, purpose });
          await inner.audit({ entity: 'workspace.upload', entityId: null, before: null, after: { ...stored, purpose } });
          return stored;
        }),
      );
    } finally {
      await form.remove();
    }
  },
);

/** State of a `presign` form, sealed so that it can't be read or changed. */
interface Ticket {
  tenantId: string;
  key: string;
  name: string;
  contentType: string;
  size: number;
  purpose: UploadPurpose;
  until: number;
}
const directPath = '/api/uploads/direct';

const presign = route(
  'POST',
  '/uploads/presign',
  {
    permission: 'workspace.upload.create',
    summary: 'A form by which a browser sends one file, within 15 minutes: post the fields, then `file`, to the address',
    body: {
      filename: f.text({ max: 255 }),
      contentType: f.text({ max: 100, pattern: /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/ }),
      size: f.int({ min: 1 }),
      purpose: f.oneOf(purposes),
    },
    response: {
      url: f.text(),
      fields: f.json().describe('Members that the form of the upload carries.'),
      key: f.text(),
      expiresAt: f.instant(),
    },
    problems: ['payload_too_large', 'quota_exceeded'],
    idempotent: false,
  },
  async (ctx, req) => {
    const { filename, contentType, size, purpose } = req.body;
    const limit = directBytes[purpose];
    if (size > limit)
      throw problem('payload_too_large', { detail: `A file for ${purpose} can have at most ${limit} bytes.`, limit });
    await requireRoom(ctx, size);
    const made = (await toStorage(ctx, filename, contentType, size, purpose)) ?? toUs(ctx, filename, contentType, size, purpose);
    await ctx.audit({
      entity: 'workspace.upload',
      entityId: null,
      before: null,
      after: { key: made.key, contentType, size, purpose },
    });
    return made;
  },
);

/** Returns true if a file can be uploaded to the storage directly: without a check of its content, so only if it is never displayed. */
function toStorage(ctx: Ctx, name: string, contentType: string, size: number, purpose: UploadPurpose) {
  return purpose === 'digital' || purpose === 'import'
    ? ctx.require(files).presign({ name, contentType, size, purpose, seconds: formSeconds })
    : Promise.resolve(undefined);
}
function toUs(ctx: Ctx, name: string, contentType: string, size: number, purpose: UploadPurpose) {
  const until = ctx.clock.ms() + formSeconds * 1000;
  const ticket: Ticket = {
    tenantId: ctx.tenant.id,
    key: ctx.require(files).newKey(name),
    name,
    contentType,
    size,
    purpose,
    until,
  };
  return {
    url: directPath,
    fields: { ticket: ctx.seal(JSON.stringify(ticket)) },
    key: ticket.key,
    expiresAt: new Date(until).toISOString(),
  };
}

export const directUpload = platformRoute(
  'POST',
  directPath,
  {
    summary: 'Takes the form of uploads/presign',
    additive: true,
    rawBody: 'stream',
    contentTypes: ['multipart/form-data'],
    maxBytes: Math.max(...Object.values(directBytes)) + formOverhead,
    response,
    status: 201,
    rateLimit: { points: 120, seconds: 60 },
    problems: ['duplicate', 'expired', 'payload_too_large', 'quota_exceeded', 'unauthenticated', 'unavailable'],
  },
  async (ctx, req) => {
    let ticket: Ticket | undefined;
    const form = await receiveForm(req.stream as Readable, req.headers, {
      maxBytes: Math.max(...Object.values(directBytes)),
      fields: ['ticket'],
      admitFile(fields) {
        ticket = readTicket(fields.ticket, (sealed) => ctx.unseal(sealed));
        if (ticket.until < ctx.clock.ms())
          throw problem('expired', { detail: 'The form has expired: it is valid for 15 minutes.' });
        req.countFor(ticket.tenantId);
        return ticket.size;
      },
    });
    try {
      const { tenantId, key, name, contentType, size, purpose } = ticket as Ticket;
      if (form.size !== size) throw invalid('/file', 'size_differs', `must have the announced size of ${size} bytes`);
      const checked = await check({ ...form, contentType }, purpose);
      return await ctx.withTenant(tenantId, async (tenant) => {
        if (await tenant.require(files).exists(key)) throw problem('expired', { detail: 'The form has already been used.' });
        return answer(tenant, await store(tenant, checked, { name, purpose, key }));
      });
    } finally {
      await form.remove();
    }
  },
);

function readTicket(sealed: string | undefined, unseal: (text: string) => string): Ticket {
  try {
    return JSON.parse(unseal(sealed ?? '')) as Ticket;
  } catch {
    throw problem('unauthenticated', { detail: 'The form has no valid upload ticket before the file.' });
  }
}

const removeUpload = route(
  'DELETE',
  '/uploads/',
  {
    permission: 'workspace.upload.delete',
    summary: 'Remove an uploaded file that nothing uses, by ?key= or {key}',
    query: { key: f.text({ max: 300 }).optional() },
    body: { key: f.text({ max: 300 }).optional() },
    status: 204,
    problems: ['in_use'],
  },
  async (ctx, req) => {
    const key = req.query.key ?? (req.body as { key?: string | null } | undefined)?.key;
    if (key === null || key === undefined) throw invalid('/key', 'required', 'is required');
    const service = ctx.require(files);
    const file = await service.find(key);
    // Documents of orders and other plugins' files can't be removed here.
    if (!file || !isPurpose(file.purpose ?? undefined)) throw notFound('The file does not exist.');
    const counts: Record<string, number> = {};
    for (const { resource, count } of await ctx.call(fileUses, { key, url: service.url(key) }))
      if (count > 0) counts[resource] = (counts[resource] ?? 0) + count;
    if (Object.keys(counts).length > 0)
      throw problem('in_use', { detail: `The file is in use by ${Object.keys(counts).join(', ')}.`, counts });
    await service.remove(key);
    await ctx.audit({ entity: 'workspace.upload', entityId: null, before: { ...file }, after: null });
    return noContent();
  },
);

export const uploadRoutes = [upload, presign, removeUpload];
