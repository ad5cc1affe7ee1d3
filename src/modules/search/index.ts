import { type Route, route } from '#http'
import { search } from './actions.ts'

export { nearest } from './fusion.ts'
export type { Passage } from './passage-queries.ts'
export { passages } from './passages.ts'
export { ranking } from './ranking.ts'
export { reindex, reindexJob } from './reindex.ts'
export { searchScopeOf } from './scope.ts'
export { synonymsWith } from './synonyms.ts'
export { countRead, lockText as holdText, type TextTrouble, troubleQuery, type WhatToRead } from './text-queries.ts'
export { forgetText, textJob } from './text-work.ts'
export { bytesOf, cosine, isZero, signsOf } from './vector-bytes.ts'
export { makeVectorIndex } from './vector-index.ts'
export { findModel, modelId } from './vector-queries.ts'
export { visitVectorStore } from './vector-store.ts'
export { vectorsJob } from './vectors.ts'

export const routes: Route[] = [route('GET', '/api/search/', search)]
