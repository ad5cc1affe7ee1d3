// Which heading of a manifest each column is read from, and which sheet a name means.
import type { Settings } from '../schema.ts'
import { type AnySheet, type Column, type SheetName, sheetNames } from '../sheet.ts'

/** What a batch knows of a sheet of its manifest. */
export interface StagedSheet {
  /** The name of the file that it is from. */
  manifest: string
  headings: string[]
}
export type StagedSheets = Partial<Record<SheetName, StagedSheet>>

/** Spelling, blanks and signs do not matter: `Document No.` and `document_no` are one heading. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The names of sheets in German, beside their own. */
const sheetAliases: Record<SheetName, readonly string[]> = {
  users: ['Benutzer', 'Personen', 'Mitarbeiter'],
  groups: ['Gruppen'],
  members: ['Mitglieder', 'Gruppenmitglieder'],
  documents: ['Dokumente'],
  versions: ['Versionen'],
  approvals: ['Freigaben', 'Genehmigungen'],
  curricula: ['Curricula', 'Schulungspläne', 'Lehrpläne'],
  training: ['Schulungen', 'Schulungsnachweise'],
  deviations: ['Abweichungen'],
  capas: ['CAPA'],
  capa_actions: ['CAPA-Maßnahmen', 'Maßnahmen', 'Actions'],
  links: ['Verknüpfungen', 'Verweise'],
}

/** The sheet by its name, or by that of a CSV file; undefined for a sheet that is no part of an import. */
export function sheetOf(name: string): SheetName | undefined {
  const sought = plain(name)
  return sheetNames.find(each => [each, ...sheetAliases[each]].some(known => plain(known) === sought))
}

export interface MappedColumn {
  column: Column
  /** The place among the headings; undefined where the column is not read. */
  at: number | undefined
  isByHand: boolean
}

/** Each column with the heading that it is read from: by hand, else by its name or one of its other names. */
export function mapColumns(
  sheet: Pick<AnySheet, 'name' | 'columns'>,
  headings: readonly string[],
  { columns: chosen }: Pick<Settings, 'columns'>,
): MappedColumn[] {
  const byHand = chosen[sheet.name] ?? {}
  const taken = new Set(Object.values(byHand).filter(heading => heading !== null))
  return sheet.columns.map(column => {
    const choice = byHand[column.name]
    if (choice !== undefined) {
      const at = choice === null ? -1 : headings.indexOf(choice)
      return { column, at: at < 0 ? undefined : at, isByHand: true }
    }
    const names = [column.name, ...(column.aliases ?? [])].map(plain)
    const at = headings.findIndex(heading => !taken.has(heading) && names.includes(plain(heading)))
    return { column, at: at < 0 ? undefined : at, isByHand: false }
  })
}
