import type { TestShop } from '@storeloom/testing';
import { expect } from 'vitest';

export interface Plan {
  id: string;
  code: string;
  version: number;
  active: boolean;
}
export const newPlan = async (shop: TestShop, code: string, plugins: string[] = ['*']): Promise<Plan> => {
  const made = await shop.operator.post<Plan>('/api/super-admin/plans', {
    code,
    name: `Plan ${code}`,
    price: { amount: 9900, currency: 'EUR' },
    limits: { products: 1000 },
  });
  expect(made.status, made.text).toBe(201);
  const granted = await shop.operator.patch<Plan>(`/api/super-admin/plans/${made.body.id}/permissions`, { plugins });
  expect(granted.status, granted.text).toBe(200);
  return granted.body;
};
