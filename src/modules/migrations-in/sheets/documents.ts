import { departmentCode, hasDepartment } from '#kernel/number-pattern.ts'
import {
  addImportedDocument,
  addImportedVersion,
  type ImportableType,
  type ImportedState,
  importedStates,
  listImportableTypes,
  settleImportedDocuments,
  stateFor,
} from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { type BatchFacts, keyOf, provenance, type Sheet, type StagedRow } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { isBehind, labelFrom, labelKey, labelText } from './labels.ts'
import { help, messages } from './messages.ts'
import { findDocuments, listStagedVersions, readDocuments, readVersions } from './queries.ts'
import {
  asStored,
  byId,
  callsBy,
  differing,
  type Finding,
  futureDay,
  idsOf,
  inOrder,
  judged,
  lower,
  missing,
  numberFindings,
  numbersOf,
  People,
  plainKey,
  unknownPerson,
  unsure,
  userKey,
  wrong,
} from './shared.ts'

export type DocumentRow = {
  number: string
  title: string
  type: string
  owner: string
  department: string | null
  category: string | null
  keywords: readonly string[]
  description: string | null
  review_date: string | null
}

/** A type by its name or its prefix. */
async function typesOf(tx: Tx) {
  const types = await listImportableTypes(tx)
  return (named: string): ImportableType | undefined =>
    types.find(({ name }) => lower(name) === lower(named)) ?? types.find(({ prefix }) => lower(prefix) === lower(named))
}

/** A code as a new document would need it, because its number may have it. */
function departmentFindings(department: string | null, type: ImportableType | undefined, batch: BatchFacts): Finding[] {
  if (department !== null && !new RegExp(departmentCode).test(department))
    return [wrong('department', messages.staged_department_no_code({ department }), messages.todo_department_no_code())]
  return department === null && type && !batch.keep_numbers && hasDepartment(type.number_pattern)
    ? [
        wrong(
          'department',
          messages.staged_department_missing({ type: type.name, pattern: type.number_pattern }),
          messages.todo_department_missing(),
        ),
      ]
    : []
}

function versionFindings(versions: Awaited<ReturnType<typeof listStagedVersions>>, number: string): Finding[] {
  if (versions.length === 0)
    return [
      wrong('number', messages.staged_document_without_version({ number }), messages.todo_document_without_version()),
    ]
  const effective = versions.filter(({ state }) => state === 'effective')
  return effective.length > 1
    ? [
        wrong(
          'number',
          messages.staged_document_effective_twice({
            number,
            versions: effective.map(({ version }) => version),
            lines: effective.map(({ line }) => line),
          }),
          messages.todo_document_effective_twice(),
        ),
      ]
    : []
}

export const documents: Sheet<DocumentRow> = {
  name: 'documents',
  needs: ['users'],
  help: help.help_documents(),
  columns: [
    required('number', 'text', help.help_document_number(), ['Number', 'Nummer', 'Document number', 'Dokumentnummer']),
    required('title', 'text', help.help_document_title(), ['Title', 'Titel']),
    required('type', 'text', help.help_document_type(), ['Type', 'Document type', 'Art', 'Dokumenttyp']),
    required('owner', 'text', help.help_document_owner(), ['Owner', 'Verantwortlich', 'Eigentümer']),
    optional('department', 'text', help.help_document_department(), ['Department', 'Abteilung']),
    optional('category', 'text', help.help_category(), ['Category', 'Kategorie']),
    optional('keywords', 'list', help.help_keywords(), ['Keywords', 'Stichwörter', 'Schlagwörter']),
    optional('description', 'long_text', help.help_description(), ['Description', 'Beschreibung']),
    optional('review_date', 'date', help.help_review_date(), [
      'Review date',
      'Next review',
      'Überprüfung am',
      'Nächste Überprüfung',
    ]),
  ],
  key: ({ number }) => plainKey(number),
  references: ({ owner }) => [{ sheet: 'users', key: userKey(owner) }],
  async check(tx, rows, batch) {
    const numbers = rows.map(({ values }) => values.number.trim())
    const found = new Map((await findDocuments(tx, batch.id, numbers)).map(each => [each.number, each]))
    const typeOf = await typesOf(tx)
    const people = await People.find(tx, batch, rows, values => [values.owner])
    const staged = Map.groupBy(await listStagedVersions(tx, batch.id, numbers), ({ number }) => number.trim())
    return rows.map(({ values }) => {
      const { owner, type: named, review_date } = values
      const number = values.number.trim()
      const type = typeOf(named)
      const person = people.get(owner)
      const versions = staged.get(number) ?? []
      const lacking = type ? importedStates.filter(state => !stateFor(type.definition, state)) : []
      const unfit = versions.filter(({ state }) => lacking.includes(state as ImportedState))
      const hasEffective = versions.some(({ state }) => state === 'effective')
      return judged(
        [
          ...numberFindings(number, found.get(number), batch),
          ...(values.title.length > 500
            ? [wrong('title', messages.staged_text_too_long({ maximum: 500 }), messages.todo_text_too_long())]
            : []),
          ...(type ? [] : [wrong('type', messages.staged_type_unknown({ type: named }), messages.todo_type_unknown())]),
          ...(type && unfit.length > 0
            ? [
                wrong(
                  'type',
                  messages.staged_type_without_state({ type: type.name, state: unfit[0]!.state! }),
                  messages.todo_type_without_state(),
                ),
              ]
            : []),
          ...departmentFindings(values.department, type, batch),
          ...(person ? [] : [unknownPerson('owner', owner)]),
          ...(person && !person.is_active && hasEffective
            ? [
                wrong(
                  'owner',
                  messages.staged_owner_inactive({ name: person.username }),
                  messages.todo_owner_inactive(),
                ),
              ]
            : []),
          ...versionFindings(versions, number),
          ...(review_date !== null && !hasEffective
            ? [
                unsure(
                  'review_date',
                  messages.staged_review_without_effective(),
                  messages.todo_review_without_effective(),
                ),
              ]
            : []),
          ...(review_date !== null && hasEffective && review_date < batch.today
            ? [
                unsure(
                  'review_date',
                  messages.staged_review_overdue({ day: review_date }),
                  messages.todo_review_overdue(),
                ),
              ]
            : []),
        ],
        {
          ...(batch.keep_numbers ? { number, legacy_number: null } : { number: null, legacy_number: number }),
          ...{
            title: values.title,
            document_type: type?.name ?? named,
            owner: person?.username ?? owner,
            department: values.department,
          },
          ...{ category: values.category, keywords: values.keywords, description: values.description },
          review_due_date: hasEffective ? review_date : null,
        },
      )
    })
  },
  async load(context, rows, batch) {
    const typeOf = await typesOf(context.tx)
    const people = await People.find(context.tx, batch, rows, values => [values.owner])
    const loaded = []
    for (const row of rows) {
      const { number, type, owner, department } = row.values
      const imported = {
        ...numbersOf(number.trim(), batch),
        ...{ type: typeOf(type)!, department },
        owner: people.require(owner),
        migration_batch_id: batch.id,
        from: provenance(row, batch),
      }
      const id = await addImportedDocument(context, imported, batch.today)
      loaded.push({ resource_type: 'document', resource_id: id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const found = byId(await readDocuments(tx, idsOf(rows)))
    const staged = Map.groupBy(
      await listStagedVersions(
        tx,
        batch.id,
        rows.map(({ values }) => values.number),
      ),
      ({ number }) => number,
    )
    return rows.map(({ values, resource_id, key }) => {
      const document = found.get(resource_id!)
      if (!document) return missing(key)
      const versions = staged.get(values.number) ?? []
      const hasEffective = versions.some(({ state }) => state === 'effective')
      const isType = [document.type, document.prefix].some(name => lower(name) === lower(values.type))
      return differing([
        ['number', values.number.trim(), callsBy(document)],
        ['type', values.type, isType ? values.type : document.type],
        ['owner', userKey(values.owner), userKey(document.owner)],
        ['department', values.department, document.department],
        ['category', values.category, document.category],
        ['keywords', [...values.keywords].sort(), [...(document.keywords ?? [])].sort()],
        ['description', values.description, document.description],
        ['review_date', hasEffective ? values.review_date : null, document.review_due_date],
      ])
    })
  },
}

export type VersionRow = {
  number: string
  version: string
  state: ImportedState
  file: string
  effective_date: string
  ended_on: string | null
  title: string | null
  change_reason: string | null
}

export const versionKey = (number: string, version: string) => keyOf(plainKey(number), labelKey(version))

/** The rows of these documents by their numbers. */
const documentRows = async ({ find }: BatchFacts, rows: readonly StagedRow<VersionRow>[]) =>
  (await find('documents', [...new Set(rows.map(({ values }) => values.number.trim()))])) as Map<
    string,
    StagedRow<DocumentRow>
  >

/** Where the versions of a document contradict each other. */
function orderFindings(
  { number, version, effective_date }: VersionRow,
  others: Awaited<ReturnType<typeof listStagedVersions>>,
): Finding[] {
  const label = labelFrom(version)!
  for (const other of others) {
    const known = labelFrom(other.version)
    if (!known || other.effective_date === null || isBehind(known, label) >= 0) continue
    if (other.effective_date > effective_date)
      return [
        unsure(
          'effective_date',
          messages.staged_version_before_earlier({
            number,
            version,
            day: effective_date,
            earlier: other.version,
            earlier_day: other.effective_date,
          }),
          messages.todo_version_before_earlier(),
        ),
      ]
  }
  return []
}

export const versions: Sheet<VersionRow> = {
  name: 'versions',
  needs: ['documents'],
  help: help.help_versions(),
  columns: [
    required('number', 'text', help.help_version_number(), ['Number', 'Nummer', 'Document number', 'Dokumentnummer']),
    required('version', 'text', help.help_version_label(), ['Version', 'Revision', 'Rev']),
    required('state', 'choice', help.help_version_state(), ['State', 'Status'], { choices: importedStates }),
    required('file', 'file', help.help_version_file(), ['File', 'Datei'], { takes: true, takesLegacy: true }),
    required('effective_date', 'date', help.help_effective_date(), [
      'Effective date',
      'Effective',
      'Gültig ab',
      'Gültig seit',
    ]),
    optional('ended_on', 'date', help.help_ended_on(), ['Ended on', 'Superseded on', 'Gültig bis', 'Ersetzt am']),
    optional('title', 'text', help.help_version_title(), ['Title', 'Titel']),
    optional('change_reason', 'long_text', help.help_change_reason(), [
      'Change reason',
      'Reason',
      'Änderungsgrund',
      'Grund',
    ]),
  ],
  key: ({ number, version }) => versionKey(number, version),
  references: ({ number }) => [{ sheet: 'documents', key: number.trim() }],
  async check(tx, rows, batch) {
    const listed = await documentRows(batch, rows)
    const files = await batch.files(rows.map(({ values }) => values.file))
    const staged = Map.groupBy(
      await listStagedVersions(
        tx,
        batch.id,
        rows.map(({ values }) => values.number),
      ),
      ({ number }) => number.trim(),
    )
    return rows.map(({ values }) => {
      const { number, version, state, effective_date, ended_on } = values
      const label = labelFrom(version)
      const document = listed.get(number.trim())?.values
      const file = files.get(values.file)
      const findings: Finding[] = [
        ...(document
          ? []
          : [
              wrong(
                'number',
                messages.staged_version_without_document({ number }),
                messages.todo_version_without_document(),
              ),
            ]),
        ...(label ? [] : [wrong('version', messages.staged_version_unfit({ version }), messages.todo_version_unfit())]),
        ...futureDay('effective_date', effective_date, batch),
        ...futureDay('ended_on', ended_on, batch),
        ...inOrder(['effective_date', effective_date], ['ended_on', ended_on]),
        ...(state === 'effective' && ended_on !== null
          ? [wrong('ended_on', messages.staged_effective_and_ended(), messages.todo_effective_and_ended())]
          : []),
        ...(state !== 'effective' && ended_on === null
          ? [unsure('ended_on', messages.staged_end_unknown({ state }), messages.todo_end_unknown())]
          : []),
        ...((values.title ?? '').length > 500
          ? [wrong('title', messages.staged_text_too_long({ maximum: 500 }), messages.todo_text_too_long())]
          : []),
        ...(label ? orderFindings(values, staged.get(number.trim()) ?? []) : []),
        ...(file?.is_legacy
          ? [unsure('file', messages.staged_file_legacy({ name: file.name }), messages.todo_file_legacy())]
          : []),
      ]
      return judged(findings, {
        ...{ number: number.trim(), version: label ? labelText(label) : version, status: state },
        ...{ title: values.title ?? document?.title ?? null, change_reason: values.change_reason },
        ...{
          effective_date,
          ended_on,
          review_due_date: state === 'effective' ? (document?.review_date ?? null) : null,
        },
        file: file
          ? { name: file.name, size: file.file_size, content_type: file.content_type, sha256: file.sha256 }
          : null,
      })
    })
  },
  async load(context, rows, batch) {
    const { tx } = context
    const listed = await documentRows(batch, rows)
    const typeOf = await typesOf(tx)
    const files = await batch.files(rows.map(({ values }) => values.file))
    const numbers = [...new Set(rows.map(({ values }) => values.number.trim()))]
    const found = new Map((await findDocuments(tx, batch.id, numbers)).map(each => [each.called, each]))
    const loaded = []
    for (const row of rows) {
      const { number, version, state, effective_date, ended_on, change_reason } = row.values
      const { title, category, keywords, description, review_date, type } = listed.get(number.trim())!.values
      const label = labelFrom(version)!
      const id = await addImportedVersion(
        context,
        {
          ...{ document: found.get(number.trim())!, type: typeOf(type)!, label, state },
          ...{ title: row.values.title ?? title, category, description, keywords: [...keywords], change_reason },
          ...{ effective_date, ended_on, review_due_date: state === 'effective' ? review_date : null },
          legacy_label: labelText(label) === version.trim() ? null : version.trim(),
          file: asStored(files.get(row.values.file)!),
          migration_batch_id: batch.id,
          from: provenance(row, batch),
        },
        batch,
      )
      loaded.push({ resource_type: 'document_version', resource_id: id })
    }
    await settleImportedDocuments(
      tx,
      [...found.values()].map(({ id }) => id),
    )
    return loaded
  },
  async compare(tx, rows, batch) {
    const listed = await documentRows(batch, rows)
    const typeOf = await typesOf(tx)
    const files = await batch.files(rows.map(({ values }) => values.file))
    const found = byId(await readVersions(tx, idsOf(rows), batch.time_zone))
    return rows.map(({ values, resource_id, key }) => {
      const version = found.get(resource_id!)
      const document = listed.get(values.number.trim())?.values
      if (!version || !document) return missing(key)
      const file = files.get(values.file)
      return differing([
        ['number', values.number.trim(), callsBy(version)],
        ['version', values.version.trim(), version.legacy_label ?? version.version],
        ['state', stateFor(typeOf(document.type)!.definition, values.state)?.name, version.status],
        ['title', values.title ?? document.title, version.title],
        ['change_reason', values.change_reason, version.change_reason],
        ['effective_date', values.effective_date, version.effective_date],
        ['effective_date', values.effective_date, version.effective_on],
        ['ended_on', values.ended_on, version.ended_on],
        ['file', file?.sha256, version.sha256],
        ['file', file?.name, version.file_name],
      ])
    })
  },
}
