import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { type FileStore, writeFileSafely } from '@storeloom/core';
import { type Log, problem } from '@storeloom/plugin-sdk';

/** A parsed `FILES_URL`: `s3://key:secret@endpoint/bucket?region=eu-central-1`, `s3+http://` for an endpoint without TLS. */
interface Target {
  endpoint: string;
  bucket: string;
  region: string;
  /** Undefined: the SDK's own chain (environment, instance role). */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

function readFilesUrl(text: string): Target {
  const url = new URL(text);
  const bucket = url.pathname.slice(1);
  return {
    endpoint: `${url.protocol === 's3+http:' ? 'http' : 'https'}://${url.host}`,
    bucket,
    region: url.searchParams.get('region') ?? 'us-east-1',
    credentials: url.username
      ? { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) }
      : undefined,
  };
}

/** Stores files in S3 or a compatible storage. Keys are `<tenant>/<key>`; the bucket needs no public access, since the server serves every file. */
export function s3Store(filesUrl: string, log: Pick<Log, 'error'>): FileStore {
  const { endpoint, bucket, region, credentials } = readFilesUrl(filesUrl);
  let made: Promise<{ client: S3Client; s3: typeof import('@aws-sdk/client-s3') }> | undefined;
  // Loaded on first use: it is a quarter of all modules.
  const connect = () =>
    (made ??= import('@aws-sdk/client-s3').then((s3) => ({
      s3,
      client: new s3.S3Client({
        endpoint,
        region,
        forcePathStyle: true,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        maxAttempts: 3,
        // Errors are logged once, below.
        logger: silent,
        requestHandler: { connectionTimeout: 3000, requestTimeout: 60_000 },
        ...(credentials ? { credentials } : {}),
      }),
    })));
  const nameOf = (tenantId: string, key: string) => ({ Bucket: bucket, Key: `${tenantId}/${key}` });

  /** Converts an error of the storage to 503 `unavailable`; its message is only logged. */
  async function reaching<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if ((error as Failure).$metadata?.httpStatusCode === 404) throw error;
      log.error({ err: error, bucket }, 'the file storage failed');
      throw problem('unavailable', { detail: 'The file storage is unreachable.', retryAfter: 10 });
    }
  }

  return {
    async write(tenantId, key, content, { contentType, maxBytes }) {
      // S3 needs the length in advance, which a stream doesn't have.
      const path = join(tmpdir(), `storeloom-file-${randomUUID()}`);
      const size = await writeFileSafely(path, content, maxBytes);
      try {
        const { client, s3 } = await connect();
        await reaching(
          client.send(
            new s3.PutObjectCommand({
              ...nameOf(tenantId, key),
              Body: createReadStream(path),
              ContentLength: size,
              ContentType: contentType,
            }),
          ),
        );
      } finally {
        await unlink(path);
      }
      return size;
    },
    async open(tenantId, key, range) {
      const { client, s3 } = await connect();
      const part = range && { Range: `bytes=${range.start}-${range.end}` };
      const answer = await missingIsNothing(
        reaching(client.send(new s3.GetObjectCommand({ ...nameOf(tenantId, key), ...part }))),
      );
      const whole = Number(/\/(\d+)$/.exec(answer?.ContentRange ?? '')?.[1] ?? answer?.ContentLength ?? 0);
      return answer && { stream: answer.Body as Readable, size: whole };
    },
    async size(tenantId, key) {
      const { client, s3 } = await connect();
      const answer = await missingIsNothing(reaching(client.send(new s3.HeadObjectCommand(nameOf(tenantId, key)))));
      return answer?.ContentLength;
    },
    async remove(tenantId, key) {
      const { client, s3 } = await connect();
      await reaching(client.send(new s3.DeleteObjectCommand(nameOf(tenantId, key))));
    },
    async *olderThan(tenantId, instant) {
      const { client, s3 } = await connect();
      let token: string | undefined;
      do {
        const page = await reaching(
          client.send(
            new s3.ListObjectsV2Command({
              Bucket: bucket,
              Prefix: `${tenantId}/`,
              ...(token === undefined ? {} : { ContinuationToken: token }),
            }),
          ),
        );
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key !== undefined && LastModified !== undefined && LastModified.getTime() < instant)
            yield Key.slice(tenantId.length + 1);
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },
    async presign(tenantId, key, { contentType, size, seconds }) {
      const { client } = await connect();
      const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post');
      return createPresignedPost(client, {
        ...nameOf(tenantId, key),
        Expires: seconds,
        Fields: { 'Content-Type': contentType },
        Conditions: [
          ['content-length-range', size, size],
          ['eq', '$Content-Type', contentType],
        ],
      });
    },
  };
}

const nothing = (): void => undefined;
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Failure {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

async function missingIsNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as Failure).$metadata?.httpStatusCode === 404) return undefined;
    throw error;
  }
}
