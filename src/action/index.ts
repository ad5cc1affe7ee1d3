export * from './definitions.ts'
export * from './open.ts'
export { createRunner, type Runner, type Sink } from './runner.ts'
export type { Services } from './services.ts'
