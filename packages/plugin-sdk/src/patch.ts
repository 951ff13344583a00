/**
 * Returns true if the body of a PATCH has no property. Such a request changes nothing: after the checks of version and
 * permission, answer 200 with the row as it is, without a new version, audit entry or event.
 */
export function isEmptyPatch(body: object): boolean {
  return Object.values(body).every((value) => value === undefined);
}
