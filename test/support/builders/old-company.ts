// A company as it comes out of a file share and spreadsheets: its documents, versions, approvals, training and cases, and what is wrong with
// them. The same size gives the same company.

import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import type { SheetName } from '../../../src/modules/migrations-in/sheet.ts'
import { pdf } from '../world/world.ts'

type Cell = string | number | null
export type Row = Record<string, Cell>
type Sheets = Partial<Record<SheetName, Row[]>>

/** One row that is wrong on purpose: its line, and the column in which the check must find it. */
export interface Mistake {
  sheet: SheetName
  line: number
  column: string
}

const types = ['SOP', 'WI', 'POL', 'FRM']
const words = [
  'Reinigung',
  'Kalibrierung',
  'Übergabe',
  'Prüfung',
  'Freigabe',
  'Lagerung',
  'Schulung',
  'Bewertung',
  'Änderung',
  'Rückruf',
]
const things = [
  'der Linie',
  'des Geräts',
  'der Charge',
  'des Lagers',
  'der Räume',
  'der Waagen',
  'der Öfen',
  'der Muster',
]

const two = (n: number) => String(n).padStart(2, '0')
/** As a German spreadsheet writes it. */
const german = (day: Cell) => (typeof day === 'string' ? day.split('-').toReversed().join('.') : day)
const dayOf = (year: number, n: number) => `${year}-${two(1 + (n % 12))}-${two(1 + (n % 28))}`

/** The headings of the spreadsheet: some are those of the template, some are German. */
const headings: Partial<Record<SheetName, Record<string, string>>> = {
  documents: {
    number: 'Dokumentnummer',
    title: 'Titel',
    type: 'Dokumenttyp',
    owner: 'Verantwortlich',
    keywords: 'Schlagwörter',
    review_date: 'Nächste Überprüfung',
  },
  versions: {
    number: 'Dokumentnummer',
    version: 'Revision',
    state: 'Status',
    file: 'Datei',
    effective_date: 'Gültig ab',
    ended_on: 'Ersetzt am',
    change_reason: 'Änderungsgrund',
  },
  approvals: {
    number: 'Dokumentnummer',
    person: 'Name',
    role: 'Funktion',
    meaning: 'Bedeutung',
    approved_on: 'Freigegeben am',
  },
  capa_actions: {
    capa: 'CAPA-Nummer',
    position: 'Nr.',
    description: 'Beschreibung',
    assigned_to: 'Zuständig',
    completed_on: 'Erledigt am',
    completed_by: 'Erledigt von',
    evidence: 'Nachweis',
  },
}
const dates = new Set([
  'review_date',
  'effective_date',
  'ended_on',
  'approved_on',
  'completed_on',
  'valid_until',
  'occurred_on',
  'detected_on',
  'reported_on',
  'due_date',
  'closed_on',
  'opened_on',
  'verified_on',
])

/** Excel's CSV: semicolons, a byte order mark, quotes where a cell needs them. */
export function csvOf(sheet: SheetName, rows: readonly Row[]): Buffer {
  const columns = Object.keys(rows[0]!)
  const quoted = (cell: Cell) => {
    const text = String(cell ?? '')
    return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lines = [
    columns.map(column => headings[sheet]?.[column] ?? column),
    ...rows.map(row => columns.map(column => quoted(dates.has(column) ? german(row[column]!) : row[column]!))),
  ]
  return Buffer.from(`\uFEFF${lines.map(line => line.join(';')).join('\r\n')}\r\n`)
}

/** An archive as macOS packs it: letters with marks are two characters. */
export async function zipWith(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, bytes] of files) zip.addBuffer(bytes, path.normalize('NFD'))
  zip.end()
  return buffer(zip.outputStream)
}

/** The first bytes of an OLE file, as Word wrote them until 2007. */
const oldWord = (text: string) =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from(text)])

const wordOf = (list: readonly string[], n: number) => list[n % list.length]!

/** `documents` in three versions each, and all else in proportion. */
export function oldCompany(documents: number) {
  const files = new Map<string, Buffer>()
  const people = Array.from({ length: Math.max(8, Math.round(documents / 10)) }, (_, n) => ({
    username: `old.user${n + 1}`,
    email: `old.user${n + 1}@alt.example`,
    full_name: `${wordOf(['Jürgen', 'Ana', 'Zoë', 'Michał'], n)} ${wordOf(['Müller', 'García', 'Strauß', 'Łuczak'], n + 1)} ${n + 1}`,
    role: wordOf(['User', 'Author', 'QA', ''], n),
    active: n % 7 === 6 ? 'no' : 'yes',
  }))
  const active = people.filter(each => each.active === 'yes')
  const personAt = (n: number) => active[n % active.length]!.username
  const groups = ['Produktion', 'Labor', 'Lager'].map(name => ({
    name,
    type: 'department',
    description: `Abteilung ${name}`,
  }))
  const members = active.map(({ username }, n) => ({ group: groups[n % groups.length]!.name, username }))

  const sheets = { users: people, groups, members } as Sheets
  const list = (name: SheetName) => (sheets[name] ??= [])
  for (let n = 0; n < documents; n++) {
    const type = wordOf(types, n)
    const number = `${type}-${String(100 + n).padStart(4, '0')}`
    const title = `${wordOf(words, n)} ${wordOf(things, n * 3)} ${n + 1}`
    const isObsolete = n % 11 === 10
    list('documents').push({
      ...{ number, title, type, owner: personAt(n), category: wordOf(['QS', 'Produktion', ''], n) },
      keywords: n % 2 === 0 ? 'Hygiene; "Linie 1"' : '',
      review_date: isObsolete ? null : dayOf(n % 5 === 0 ? 2024 : 2031, n),
    })
    for (let v = 1; v <= 3; v++) {
      const year = 2014 + v * 3
      const isLast = v === 3
      const isLegacy = v === 1 && n % 6 === 0
      const path = `Ablage/${wordOf(['Prüfmittel', 'Herstellung', 'Büro'], n)}/${number} v${v}${n % 4 === 0 ? ' größer als früher' : ''}.${isLegacy ? 'doc' : 'pdf'}`
      files.set(path, isLegacy ? oldWord(`${number} ${v}`) : pdf(`${number} ${v}`))
      list('versions').push({
        number,
        version: wordOf([String(v), `0${v}`, `Rev. ${v}`, 'ABC'[v - 1]!], n),
        state: isLast ? (isObsolete ? 'obsolete' : 'effective') : 'superseded',
        file: path,
        effective_date: dayOf(year, n),
        ended_on: isLast ? (isObsolete ? dayOf(2025, n) : null) : dayOf(year + 3, n),
        change_reason: v === 1 ? '' : 'Überarbeitet; siehe Änderungsantrag',
      })
      list('approvals').push(
        ...['Erstellt', 'Geprüft und freigegeben'].map((meaning, k) => ({
          ...{ number, version: String(v), person: `Dr. ${wordOf(['Weiß', 'Öztürk', 'Šimek'], n + k)}` },
          ...{ role: k === 0 ? 'Autor' : 'Leitung QS', meaning, approved_on: dayOf(year, n) },
          evidence: k === 1 ? `Ordner ${2014 + v}, Blatt ${n + 1}` : '',
        })),
      )
    }
    if (!isObsolete)
      for (let k = 0; k < 4; k++)
        list('training').push({
          ...{ username: personAt(n + k), document: number, version: '3', title: null, type: null },
          ...{ completed_on: dayOf(2024, n + k), valid_until: null, score: null, trainer: 'Fr. Groß' },
        })
  }
  for (const [n, { username }] of active.entries())
    list('training').push({
      ...{ username, document: null, version: null, title: 'Ersteinweisung Hygiene', type: 'classroom' },
      ...{ completed_on: dayOf(2023, n), valid_until: dayOf(2031, n), score: 80 + (n % 20), trainer: null },
    })
  const listed = list('documents').map(({ number }) => String(number))
  list('curricula').push({
    ...{ name: 'Grundschulung Produktion', description: 'Für alle in der Produktion', roles: '', groups: 'Produktion' },
    trainings: `${listed[0]}; ${listed[1]}; Ersteinweisung Hygiene`,
  })
  const cases = Math.max(6, Math.round(documents / 5))
  for (let n = 0; n < cases; n++) {
    const isClosed = n % 3 !== 0
    const attachment = n % 2 === 0 ? `Anhänge/Abweichung ${n + 1}.msg` : null
    if (attachment) files.set(attachment, oldWord(`Nachricht ${n}`))
    list('deviations').push({
      ...{ number: `DEV-2024-${String(n + 1).padStart(4, '0')}`, title: `Temperatur überschritten, Fall ${n + 1}` },
      ...{
        description: 'Die Temperatur im Lager lag\nüber "25 °C"; Ursache unklar.',
        severity: wordOf(['minor', 'major', 'critical'], n),
      },
      ...{ state: isClosed ? 'closed' : wordOf(['open', 'under_investigation', 'pending_approval'], n / 3) },
      ...{ category: wordOf(['equipment', 'process', 'training'], n), department: 'Lager', reported_by: personAt(n) },
      ...{ assigned_to: personAt(n + 1), occurred_on: dayOf(2024, n), detected_on: dayOf(2024, n), reported_on: null },
      ...{ due_date: isClosed ? null : dayOf(2025, n), closed_on: isClosed ? dayOf(2025, n) : null },
      ...{ closed_by: isClosed ? 'Dr. Weiß' : null, investigation: 'Geprüft', attachment_1: attachment },
    })
    list('capas').push({
      ...{ number: `CAPA-2024-${String(n + 1).padStart(4, '0')}`, title: `Klimaanlage erneuern ${n + 1}` },
      ...{
        description: 'Die Anlage wird ersetzt.',
        type: 'corrective',
        source: 'deviation',
        priority: wordOf(['low', 'high'], n),
      },
      ...{ state: isClosed ? 'closed' : 'in_progress', assigned_to: personAt(n + 2), opened_on: dayOf(2024, n) },
      ...{ due_date: isClosed ? null : dayOf(2032, n), closed_on: isClosed ? dayOf(2025, n) : null, closed_by: null },
      root_cause: 'Alter der Anlage',
    })
    // Closed ones with actions that are done and verified; one of an open CAPA is done, the others go on.
    for (let k = 1; k <= 3; k++) {
      const isDone = k === 1 || (isClosed && k === 2)
      const file = isDone && n % 4 === 1 ? `Anhänge/Nachweis ${n + 1}-${k}.pdf` : null
      if (file) files.set(file, pdf(`Nachweis ${n} ${k}`))
      list('capa_actions').push({
        ...{ capa: `CAPA-2024-${String(n + 1).padStart(4, '0')}`, position: k },
        ...{ description: `Schritt ${k}:\nAnlage "${wordOf(things, k)}" prüfen`, assigned_to: personAt(n + k) },
        state: isDone ? 'done' : isClosed ? 'cancelled' : wordOf(['open', 'in_progress'], k),
        ...{ due_date: isDone ? null : dayOf(2031, n), completed_on: isDone ? dayOf(2024, n + k) : null },
        ...{ completed_by: isDone ? 'Hr. Öztürk' : null, verified_on: isDone && isClosed ? dayOf(2025, n) : null },
        ...{
          verified_by: isDone && isClosed ? 'Dr. Weiß' : null,
          evidence: isDone ? `Bericht ${n + 1}; Blatt ${k}` : null,
        },
        attachment_1: file,
      })
    }
    list('links').push(
      {
        from: `DEV-2024-${String(n + 1).padStart(4, '0')}`,
        to: `CAPA-2024-${String(n + 1).padStart(4, '0')}`,
        relation: 'root',
      },
      {
        from: `DEV-2024-${String(n + 1).padStart(4, '0')}`,
        to: listed[n % listed.length]!,
        relation: 'violated_procedure',
      },
    )
  }
  return { sheets: sheets as Record<SheetName, Row[]>, files }
}

type Company = ReturnType<typeof oldCompany>

/** The line of a row in its CSV, whose cells have lines of their own. */
const lineOf = (rows: readonly Row[], at: number) =>
  2 + rows.slice(0, at).reduce((sum, row) => sum + Object.values(row).join('').split('\n').length, 0)

/** The company with the mess of real life: the rows that are wrong, by line and column, and a file that is not there. */
export function withMistakes({ sheets, files }: Company): Company & { mistakes: Mistake[] } {
  const messy = structuredClone(sheets)
  const mistakes: Mistake[] = []
  const spoil = (sheet: SheetName, at: number, column: string, value: Cell, shownAs = column) => {
    messy[sheet][at]![column] = value
    mistakes.push({ sheet, line: lineOf(sheets[sheet], at), column: shownAs })
  }
  // A day that no calendar has, one that could be two, and one without a year.
  spoil('versions', 3, 'effective_date', '2018-02-31')
  spoil('versions', 4, 'effective_date', '3/4/19')
  spoil('training', 5, 'completed_on', 'Mai 2022')
  // A day ahead, and an end before the beginning.
  spoil('training', 6, 'completed_on', '2199-01-01')
  spoil('versions', 6, 'ended_on', '2001-01-01')
  spoil('documents', 2, 'owner', 'niemand')
  spoil('documents', 3, 'type', 'Verfahrensanweisung')
  spoil('versions', 9, 'version', 'neu')
  spoil('approvals', 8, 'number', 'SOP-9999', 'version')
  spoil('deviations', 1, 'closed_on', null)
  spoil('users', 1, 'email', messy.users[0]!.email!)
  spoil('links', 1, 'to', 'SOP-9999')
  spoil('capa_actions', 3, 'completed_on', null)
  spoil('curricula', 0, 'trainings', 'Gibt es nicht')
  const left = new Map(files)
  const missing = String(sheets.versions[12]!.file)
  left.delete(missing)
  mistakes.push({ sheet: 'versions', line: 14, column: 'file' })
  return { sheets: messy, files: left, mistakes }
}
