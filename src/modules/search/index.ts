import type { Route } from '#http'

export { type Asked, askedBy, type Filters } from './asked.ts'
export { type Passage, passages } from './passages.ts'

export const routes: Route[] = []
