import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Problem } from '@storeloom/plugin-sdk';
import { problemBody, problemTable } from './problems.ts';

/** Returns a whole response for a connection whose request never reaches the pipeline. */
export function rawProblem(status: number, problem: Problem): string {
  const body = JSON.stringify({ ...problemBody(problem, problemTable([]), '/', randomUUID()), status });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/problem+json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
