export const carrierNames = ['carrier-a', 'carrier-b', 'carrier-c'] as const;
export type CarrierName = (typeof carrierNames)[number];

export function isCarrierName(name: string): name is CarrierName {
  return (carrierNames as readonly string[]).includes(name);
}
