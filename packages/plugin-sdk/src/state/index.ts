export { type HistoryEntry, historyOf } from './history.ts';
export { defineMachine, invalidTransition, type Machine, type MachineOptions, type Move } from './machine.ts';
