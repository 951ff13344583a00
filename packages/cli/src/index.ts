export { type DemoLogins, seedDemo } from './demo/demo.ts';
export { drivers } from './drivers.ts';
export { createProgram } from './program.ts';
