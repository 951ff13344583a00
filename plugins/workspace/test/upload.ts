import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import type { TestClient, TestResponse } from '@storeloom/testing';
import sharp from 'sharp';

export interface Uploaded {
  key: string;
  url: string | null;
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
  code?: string;
  errors?: { pointer: string; code: string }[];
}

/** A form as a browser sends it. */
export async function formOf(
  file: Buffer,
  fields: Record<string, string>,
  { name = 'photo.png', type = 'image/png' } = {},
): Promise<{ content: Buffer; type: string }> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new File([new Uint8Array(file)], name, { type }));
  const request = new Request('http://x', { method: 'POST', body: form });
  return { content: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type') as string };
}

export async function uploadOf(
  client: TestClient,
  purpose: string,
  file: Buffer,
  as: { name?: string; type?: string } = {},
): Promise<TestResponse<Uploaded>> {
  return client.call<Uploaded>('POST', '/api/admin/uploads/', { raw: await formOf(file, { purpose }, as) });
}

export const imageOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' }, limitInputPixels: false });
export const pngOf = (width: number, height: number): Promise<Buffer> => imageOf(width, height).png().toBuffer();

/** A few bytes that say they are a picture of `side`² pixels. */
export function pngBomb(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const pixels = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** Returns a ZIP archive of files with any names. */
export function zipOf(files: readonly [name: string, content: Buffer][]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content);
    // Version, flags, deflated, time, date, checksum, both sizes, lengths of name and extra: the same in both places.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
