export {
  type Client,
  type ClientOptions,
  createClient,
  type RawRequest,
  type Storefront,
  type StorefrontOptions,
} from './client.ts';
export { Pages } from './pages.ts';
export {
  ConnectionFailed,
  type ErrorClass,
  type ProblemClass,
  ProblemError,
  problemClass,
  StoreloomError,
  Timeout,
  UnexpectedResponse,
} from './problem-error.ts';
export type { EventsOf, Families, Family, MethodsOf, Slice } from './slice.ts';
export { type SessionOptions, type SessionTokens, session, type Token, type TokenSource } from './tokens.ts';
export type { Fetch, Hooks, OutgoingRequest } from './transport.ts';
export type {
  Bytes,
  CallOptions,
  Download,
  FieldError,
  Json,
  LocalText,
  Money,
  Page,
  Problem,
  Upload,
  Warning,
} from './values.ts';
