import type { UserPreferences } from './schema.ts'

/** As the database keeps it (`octet_length` in its check). */
export const maxDocumentBytes = 32_768
/** Deeper ones come from no page, and JSON is read and written by recursion. */
export const maxDepth = 20

export const noPreferences: UserPreferences = { language: null, theme: null, views: null, columns: null, layout: null }

export function isTooDeep(value: unknown, left = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some(each => isTooDeep(each, left - 1))
}

/** The fields that differ. */
export const changedFields = (before: UserPreferences, after: UserPreferences) =>
  (Object.keys(noPreferences) as (keyof UserPreferences)[]).filter(
    field => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
