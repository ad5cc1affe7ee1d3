// The people whose part in a version keeps them from deciding about it: the one rule behind decisions, lists, previews and reminders.
import type { ApprovalGate } from './definition.ts'
import type { Contributors } from './instance.ts'
import type { Part } from './messages.ts'

/**
 * Where an approval excludes the author, it excludes everyone who prepared the version. The people who chose its approvals are excluded
 * from every approval: otherwise they could choose one that they give themselves.
 */
export function excludedContributors(
  { author_may_approve }: Pick<ApprovalGate, 'author_may_approve'>,
  { authorId, editorIds, submitterId, chooserIds }: Contributors,
): Map<number, Part> {
  const excluded = new Map<number, Part>(chooserIds.map(id => [id, 'chooser']))
  if (author_may_approve) return excluded
  if (submitterId !== null) excluded.set(submitterId, 'submitter')
  for (const id of editorIds) excluded.set(id, 'editor')
  return excluded.set(authorId, 'author')
}
