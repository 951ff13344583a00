import { expect, test } from 'vitest';
import { scrubbed } from './personal-data.ts';

const contacts = ['ana@mail.example', '+40722000111'];
const texts = new Set(['ana', 'strada lungă 1']);

test('takes addresses and numbers out of any text, other texts only where they stand alone', () => {
  expect(
    scrubbed(
      {
        id: '0190a000-0000-7000-8000-000000000001',
        email: 'ANA@mail.example',
        note: 'Call +40722000111 today',
        firstName: 'Ana',
        title: 'Banana Anastasia',
        address: { line1: 'Strada Lungă 1', city: 'Cluj' },
        lines: [{ to: ' ana ' }, 5, null, true],
      },
      contacts,
      texts,
    ),
  ).toEqual({
    id: '0190a000-0000-7000-8000-000000000001',
    email: 'erased',
    note: 'erased',
    firstName: 'erased',
    title: 'Banana Anastasia',
    address: { line1: 'erased', city: 'Cluj' },
    lines: [{ to: 'erased' }, 5, null, true],
  });
});

test('changes nothing where the person is not', () => {
  const data = { a: [{ b: 'c' }], d: null };
  expect(scrubbed(data, contacts, texts)).toEqual(data);
});
