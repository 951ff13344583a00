import type { Readable } from 'node:stream';
import { collect, service } from '../token.ts';

/** A file that was stored. */
export interface StoredFile {
  /** Storage key. */
  key: string;
  /** Bytes. */
  size: number;
  /** Media type. */
  contentType: string;
}

/** What is known about a stored file. */
export interface FileRecord {
  /** Storage key. */
  key: string;
  /** Original file name. */
  name: string;
  /** Media type. */
  contentType: string;
  /** Bytes. */
  size: number;
  /** True if it has a public URL. */
  public: boolean;
  /** What it is used for, if given on upload. */
  purpose: string | null;
  createdAt: string;
}

/** Stores files of the tenant, on disk or in S3-compatible storage. */
export interface Files {
  /** Returns a key for content that is stored later, with the extension of the name. */
  newKey(name: string): string;
  /** Stores content under a new key of the tenant, or under a key of `newKey`. `public` files have a URL. */
  put(
    content: Readable | Buffer,
    options: { name: string; contentType: string; public: boolean; purpose?: string | null; key?: string },
  ): Promise<StoredFile>;
  /**
   * Returns a form with which a browser uploads one private file of exactly this size directly to the storage; undefined if the
   * storage is the local disk. After the upload `find`, `exists` and `open` see the file.
   */
  presign(file: {
    name: string;
    contentType: string;
    size: number;
    purpose?: string | null;
    seconds: number;
  }): Promise<{ url: string; fields: Record<string, string>; key: string; expiresAt: string } | undefined>;
  /**
   * Opens a file for reading.
   *
   * @throws Problem 404 `not_found`
   */
  open(key: string): Promise<{ stream: Readable; size: number; contentType: string; name: string }>;
  /** Returns what is known about a file; undefined if it doesn't exist. */
  find(key: string): Promise<FileRecord | undefined>;
  /** Removes a file, if it exists. */
  remove(key: string): Promise<void>;
  /** Returns true if the file is stored. */
  exists(key: string): Promise<boolean>;
  /** Returns the path of a public file on the tenant's host. */
  url(key: string): string;
}
/** Service token of `Files`. */
export const files = service<Files>('kernel:files');

/**
 * Hook that counts the uses of an uploaded file: each plugin that stores keys or URLs of files reports a count by resource path.
 */
export const fileUses = collect<{ key: string; url: string }, { resource: string; count: number }>('kernel:files.uses');
