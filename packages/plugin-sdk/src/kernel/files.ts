import type { Readable } from 'node:stream';
import { collect, service } from '../token.ts';

export interface StoredFile {
  key: string;
  size: number;
  contentType: string;
}

export interface FileRecord {
  key: string;
  name: string;
  contentType: string;
  size: number;
  public: boolean;
  purpose: string | null;
  createdAt: string;
}

export interface Files {
  /** A key for bytes that are stored later, with the extension of the name. */
  newKey(name: string): string;
  /** Stores bytes under a new key of the tenant's prefix, or under one of `newKey`. `public` files have a URL. */
  put(
    content: Readable | Buffer,
    options: { name: string; contentType: string; public: boolean; purpose?: string | null; key?: string },
  ): Promise<StoredFile>;
  /**
   * A form by which a browser sends one private file of exactly this size to the storage itself; undefined where the storage is the local
   * disk. The file is there, for `find`, `exists` and `open`, once it was sent.
   */
  presign(file: {
    name: string;
    contentType: string;
    size: number;
    purpose?: string | null;
    seconds: number;
  }): Promise<{ url: string; fields: Record<string, string>; key: string; expiresAt: string } | undefined>;
  open(key: string): Promise<{ stream: Readable; size: number; contentType: string; name: string }>;
  find(key: string): Promise<FileRecord | undefined>;
  remove(key: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Path on the tenant's host of a public file. */
  url(key: string): string;
}
export const files = service<Files>('kernel:files');

/** Who shows or sells an uploaded file: every plugin that keeps keys or addresses of files says how often, by the path of the resource. */
export const fileUses = collect<{ key: string; url: string }, { resource: string; count: number }>('kernel:files.uses');
