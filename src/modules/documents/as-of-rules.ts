import type { RecordedEvent } from '#modules/audit'

/** A version as the audit trail records it. */
interface VersionThen {
  version: string
  status: string
  title: string
  category: string | null
  description: string | null
  keywords: string[]
  effective_date: string | null
  review_due_date: string | null
  needs_revision: boolean
  /** The signature of the latest periodic review. */
  review_signature_id: number | null
}

/** The facts of a version that never change. */
export interface KnownVersion {
  major: number
  minor: number
  /** The kind of a state of its workflow. */
  kindOf: (status: string) => string
}

/** The versions of a document as its entries leave them, and which of them it showed. */
interface VersionsThen {
  versions: ReadonlyMap<string, VersionThen>
  effective: string | null
  latest: string
}

const fresh: Omit<VersionThen, 'version' | 'status' | 'title'> = {
  category: null,
  description: null,
  keywords: [],
  effective_date: null,
  review_due_date: null,
  needs_revision: false,
  review_signature_id: null,
}
const fields = ['status', 'title', 'category', 'description', 'keywords', 'effective_date', 'review_due_date'] as const
const changing = [
  ...['document.created', 'document.version_created', 'document.version_migrated', 'document.updated'],
  ...['document.effective_date_set'],
  ...['document.approval_configured', 'document.state_changed', 'document.reviewed'],
]

export function foldVersions(
  told: readonly RecordedEvent[],
  known: ReadonlyMap<string, KnownVersion>,
): VersionsThen | undefined {
  const versions = new Map<string, VersionThen>()
  const onceEffective = new Set<string>()
  const kindOf = (label: string, status: string) => known.get(label)!.kindOf(status)
  const isBehind = (one: string, other: string) => {
    const [a, b] = [known.get(one)!, known.get(other)!]
    return a.major - b.major || a.minor - b.minor
  }
  let effective: string | null = null
  let latest: string | undefined
  for (const { action, changes } of told) {
    // Without its details an entry does not say which version it is about.
    if (!changing.includes(action) || !changes.version) continue
    const label = changes.version.to as string
    const isImported = action === 'document.version_migrated'
    const isNew = isImported || action === 'document.created' || action === 'document.version_created'
    // The entry of a new version has only the fields that differ from the version before.
    const before = versions.get(isNew ? ((changes.version.from as string | null) ?? '') : label)
    const after = { ...fresh, ...before, version: label } as VersionThen
    if (isNew) Object.assign(after, { needs_revision: false, review_signature_id: null })
    for (const field of fields) if (changes[field]) Object.assign(after, { [field]: changes[field].to })
    after.keywords ??= []
    // Versions of before are imported in any order.
    if (isNew && !(isImported && latest !== undefined && isBehind(label, latest) < 0)) latest = label
    if (isImported) {
      onceEffective.add(label)
      if (kindOf(label, after.status) === 'effective') effective = label
    }
    if (action === 'document.reviewed') {
      after.needs_revision = changes.outcome?.to === 'needs_revision'
      after.review_signature_id = changes.signature_id?.to as number
    }
    if (action === 'document.state_changed') {
      const [from, to] = [before, after].map(each => kindOf(label, each?.status ?? ''))
      if (to === 'effective') {
        effective = label
        onceEffective.add(label)
      } else if (from === 'effective') {
        effective = null
        after.needs_revision = false
      } else if (to === 'final' && onceEffective.size > 0) latest = [...onceEffective].sort(isBehind).at(-1)!
    }
    versions.set(label, after)
  }
  return latest === undefined ? undefined : { versions, effective, latest }
}
