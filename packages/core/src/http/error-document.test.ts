import { generalProblems } from '@storeloom/plugin-sdk';
import { expect, it } from 'vitest';
import { faultCodes, reasonOf } from '../installation/fault.ts';
import { errorDocument } from './error-document.ts';
import { problemTable } from './problems.ts';

const table = problemTable([
  ['stock_short', { status: 409, title: 'There is not enough' }],
  ['too_far', { status: 422, title: 'Too far away', help: 'Choose a nearer place.' }],
]);

it('says of every code what to do about it', () => {
  for (const code of [...table.keys(), ...Object.keys(faultCodes)]) {
    const document = errorDocument(code, table);
    expect(document, code).toMatchObject({ code, type: `urn:storeloom:error:${code}` });
    expect(document?.title, code).toMatch(/\S/);
    expect(document?.help, code).toMatch(/^\S.*\.$/);
  }
});

it('gives a domain code its own advice, or that of its status', () => {
  expect(errorDocument('too_far', table)).toMatchObject({ status: 422, help: 'Choose a nearer place.' });
  expect(errorDocument('stock_short', table)?.help).toBe(
    errorDocument('stock_short', problemTable([['stock_short', { status: 409, title: '' }]]))?.help,
  );
  expect(errorDocument('stock_short', table)?.help).not.toBe(errorDocument('too_far', table)?.help);
});

it('knows no other codes, and none that an object has by nature', () => {
  for (const code of ['no_such_code', '', 'toString', '__proto__', 'constructor'])
    expect(errorDocument(code, table)).toBeUndefined();
});

it('is where a reason sends its reader', () => {
  expect(reasonOf({ code: 'package_missing', what: 'x is not installed' }).message).toContain('/errors/package_missing');
  expect(errorDocument('package_missing', table)).toMatchObject({ status: null, title: faultCodes.package_missing.title });
});

it('means one thing by a code', () => {
  for (const code of Object.keys(faultCodes)) expect(generalProblems).not.toHaveProperty(code);
});
