import type { Language } from '#kernel/message.ts'
import { headings, type Print, printIn, wordOf } from '#kernel/print.ts'
import { type recordKinds, type Subject, signaturePages } from '#modules/dossiers'
import { html, type Markup } from '#platform/html.ts'
import { blocksAsHtml, factsAsHtml, tableAsHtml } from './blocks.ts'

/** The kinds of record that have a page each, how they are printed, and where their pages are. */
export const recordPages: Partial<Record<string, { dossier: keyof typeof recordKinds; folder: string }>> = {
  documents: { dossier: 'documents', folder: 'pages/documents' },
  deviations: { dossier: 'deviations', folder: 'pages/deviations' },
  capas: { dossier: 'capas', folder: 'pages/capas' },
  users: { dossier: 'trainingRecords', folder: 'pages/people' },
}

/** The page of a record as it was at the moment of the snapshot. Which of its files are in the archive is known later. */
export interface SpooledPage {
  id: number
  title: string
  facts: string
  files: { name: string; version: string | null; sha256: string }[]
  rest: string
}

/** `altered`: the store has other bytes than those that were stored. */
export type FileState = 'as_stored' | 'altered' | 'missing' | 'removed'

const joined = (parts: readonly Markup[]) => parts.map(({ text }) => text).join('')

/** The record as it is printed. */
export function spooledPage(subject: Subject, id: number, language: Language): SpooledPage {
  const { number, title, facts, files } = subject
  return {
    id,
    title: title === number ? number : `${number} ${title}`,
    facts: factsAsHtml(facts.map(([name, value]) => [printIn(language, name), printIn(language, value) || '-'])).text,
    files: files.map(({ name, of, sha256 }) => ({ name, sha256, version: 'version' in of ? of.version : null })),
    rest: joined([
      ...blocksAsHtml(subject.pages(new Set()), language),
      ...blocksAsHtml(signaturePages(subject), language),
    ]),
  }
}

/** Links to the files of a record, as far as the archive has them. */
export function filesTable(
  { files }: Pick<SpooledPage, 'files'>,
  { root, language, stateOf }: { root: string; language: Language; stateOf(sha256: string): FileState },
): Markup {
  if (files.length === 0) return html``
  const say = (text: Print) => printIn(language, text)
  const hasVersions = files.some(({ version }) => version !== null)
  return html`<h2>${say(headings.files)}</h2>
${tableAsHtml(
  [say(headings.name), ...(hasVersions ? [say(headings.version)] : []), 'SHA-256'],
  files.map(({ name, version, sha256 }) => [
    stateOf(sha256) === 'as_stored'
      ? html`<a href="${root}files/${sha256}" download="${name}">${name}</a>`
      : html`${name} (${say(wordOf(stateOf(sha256)))})`,
    ...(hasVersions ? [html`${version ?? ''}`] : []),
    html`<code>${sha256}</code>`,
  ]),
)}`
}
