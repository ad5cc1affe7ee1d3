export * from './definitions.ts'
export * from './open.ts'
export type { Outside } from './outside.ts'
export { createRunner, type Sink } from './runner.ts'
