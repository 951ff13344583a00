export { type HistoryEntry, readHistory } from './history.ts';
export { defineMachine, invalidTransition, type Machine, type MachineOptions, type Move } from './machine.ts';
