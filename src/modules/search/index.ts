import type { Route } from '#http'

export { type Asked, askedBy, type Filters } from './asked.ts'
export { type Passage, passages } from './passages.ts'

export { embedQuery, type FoundByMeaning, findByMeaning, type QueryVector } from './semantic.ts'
export { vectorsWork } from './vectors.ts'

export const routes: Route[] = []
