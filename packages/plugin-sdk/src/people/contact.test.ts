import { expect, it } from 'vitest';
import { erasedEmail, isErasedEmail } from './contact.ts';

it('an erased address is recognised by its host, which does not exist', () => {
  expect(isErasedEmail(erasedEmail('0192f0c1-0000-7000-8000-000000000001'))).toBe(true);
  for (const email of ['ana@example.org', 'ana@invalid.example.org', 'erased+1@example.org', '@invalid.'])
    expect(isErasedEmail(email), email).toBe(false);
});
