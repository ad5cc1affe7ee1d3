import { keywordKey, type ListedDocument, listedKey } from '#kernel/measures.ts'
import { daysBetween, type Fact } from './fact.ts'

/** A document with its versions, rejections and periodic reviews. Days are in the time zone that is counted by. */
export interface CountedDocument {
  created_on: string
  /** The version that readers see. */
  shown: (ListedDocument & { keywords: string[] }) | null
  versions: CountedVersion[]
  rejected_on: string[]
  reviews: { due_date: string | null; decided_on: string }[]
}

interface CountedVersion {
  change_type: string
  created_on: string
  submitted_on: string | null
  approved_on: string | null
  /** Approval is pending. */
  is_pending: boolean
  review_due_date: string | null
}

export const documentFacts = ({ created_on, shown, versions, rejected_on, reviews }: CountedDocument): Fact[] => [
  ['documents.created', created_on, ''],
  ...(shown ? shownFacts(shown) : []),
  ...versions.flatMap(versionFacts),
  ...rejected_on.map((day): Fact => ['rounds.rejected', day, '']),
  ...reviews.flatMap(reviewFacts),
  // Last, where migration 0083 put them too.
  ...(shown ? listingFacts(shown) : []),
]

const shownFacts = (shown: NonNullable<CountedDocument['shown']>): Fact[] => [
  ['documents.shown', null, `${shown.document_type_id} ${shown.status}`],
  ['documents.kind', null, shown.status_kind],
]

const listingFacts = (shown: NonNullable<CountedDocument['shown']>): Fact[] => [
  ['documents.listed', null, listedKey(shown)],
  ...shown.keywords.map((keyword): Fact => ['documents.keyword', null, keywordKey(shown.status_kind, keyword)]),
]

function versionFacts(version: CountedVersion): Fact[] {
  const { created_on, submitted_on, approved_on, review_due_date } = version
  const facts: Fact[] = [['versions.created', created_on, version.change_type]]
  if (approved_on && submitted_on)
    facts.push(['versions.approved', approved_on, daysBetween(submitted_on, approved_on)])
  if (version.is_pending) facts.push(['versions.pending', submitted_on ?? created_on, ''])
  if (review_due_date) facts.push(['versions.review_due', review_due_date, ''])
  return facts
}

const reviewFacts = ({ due_date, decided_on }: CountedDocument['reviews'][number]): Fact[] =>
  due_date ? [['reviews.done', due_date, decided_on <= due_date ? 'on_time' : 'late']] : []
