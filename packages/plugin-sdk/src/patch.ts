/**
 * Whether the body of a PATCH names no member. What isn't named stays as it is, so such a request changes nothing: once version and
 * right have been looked at it answers 200 with the thing as it stands, without a new version, an audit row or an event.
 */
export function isEmptyPatch(body: object): boolean {
  return Object.values(body).every((value) => value === undefined);
}
