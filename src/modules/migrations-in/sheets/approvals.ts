import { addHistoricalApproval } from '#modules/documents'
import { type BatchFacts, keyOf, provenance, type Sheet, type StagedRow } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { versionKey } from './documents.ts'
import { labelFrom, labelKey, labelText } from './labels.ts'
import { help, messages } from './messages.ts'
import { findDocuments, findVersions, readApprovals } from './queries.ts'
import {
  byId,
  callsBy,
  differing,
  futureDay,
  idsOf,
  judged,
  lower,
  missing,
  plainKey,
  unsure,
  wrong,
} from './shared.ts'

type ApprovalRow = {
  number: string
  version: string
  person: string
  role: string | null
  meaning: string
  approved_on: string | null
  evidence: string | null
  evidence_file: string | null
}

const listedVersions = ({ find }: BatchFacts, rows: readonly StagedRow<ApprovalRow>[]) =>
  find('versions', [...new Set(rows.map(({ values }) => versionKey(values.number, values.version)))])

const evidenceOf = ({ files }: BatchFacts, rows: readonly StagedRow<ApprovalRow>[]) =>
  files([...new Set(rows.flatMap(({ values }) => values.evidence_file ?? []))])

/** History, never signatures: who approved a version before, as the source has it. */
export const approvals: Sheet<ApprovalRow> = {
  name: 'approvals',
  needs: ['versions'],
  help: help.help_approvals(),
  columns: [
    required('number', 'text', help.help_version_number(), ['Number', 'Nummer', 'Document number', 'Dokumentnummer']),
    required('version', 'text', help.help_approval_version(), ['Version', 'Revision', 'Rev']),
    required('person', 'text', help.help_approval_person(), ['Person', 'Name', 'Approved by', 'Freigegeben von']),
    optional('role', 'text', help.help_approval_role(), ['Role', 'Function', 'Rolle', 'Funktion']),
    required('meaning', 'text', help.help_approval_meaning(), ['Meaning', 'Bedeutung']),
    optional('approved_on', 'date', help.help_approved_on(), ['Approved on', 'Date', 'Datum', 'Freigegeben am']),
    optional('evidence', 'long_text', help.help_evidence(), ['Evidence', 'Nachweis']),
    optional('evidence_file', 'file', help.help_evidence_file(), ['Evidence file', 'Scan', 'Nachweis-Datei']),
  ],
  key: ({ number, version, person, meaning, approved_on }) =>
    keyOf(plainKey(number), labelKey(version), lower(person), lower(meaning), approved_on),
  references: ({ number, version }) => [{ sheet: 'versions', key: versionKey(number, version) }],
  async check(_tx, rows, batch) {
    const listed = await listedVersions(batch, rows)
    return rows.map(({ values }) => {
      const { number, version, approved_on } = values
      const of = listed.get(versionKey(number, version))?.values
      const effective = typeof of?.effective_date === 'string' ? of.effective_date : null
      return judged(
        [
          ...(of
            ? []
            : [
                wrong(
                  'version',
                  messages.staged_approval_without_version({ number, version }),
                  messages.todo_approval_without_version(),
                ),
              ]),
          ...futureDay('approved_on', approved_on, batch),
          ...(approved_on === null
            ? [unsure('approved_on', messages.staged_approval_undated(), messages.todo_approval_undated())]
            : []),
          ...(approved_on !== null && effective !== null && approved_on > effective
            ? [
                unsure(
                  'approved_on',
                  messages.staged_approved_after_effective({ day: approved_on, effective }),
                  messages.todo_approved_after_effective(),
                ),
              ]
            : []),
        ],
        {
          ...{
            number: number.trim(),
            version: labelKey(version),
            person_name: values.person,
            person_role: values.role,
          },
          ...{ meaning: values.meaning, approved_on, evidence: values.evidence, evidence_file: values.evidence_file },
        },
      )
    })
  },
  async load(context, rows, batch) {
    const { tx } = context
    const files = await evidenceOf(batch, rows)
    const numbers = rows.map(({ values }) => values.number.trim())
    const documents = new Map((await findDocuments(tx, batch.id, numbers)).map(each => [each.called, each]))
    const versions = new Map(
      (
        await findVersions(
          tx,
          [...documents.values()].map(({ id }) => id),
        )
      ).map(each => [keyOf(String(each.document_id), each.version), each]),
    )
    const loaded = []
    for (const row of rows) {
      const { number, version, person, role, meaning, approved_on, evidence, evidence_file } = row.values
      const document = documents.get(number.trim())!
      const of = versions.get(keyOf(String(document.id), labelText(labelFrom(version)!)))!
      const id = await addHistoricalApproval(
        context,
        {
          ...{ document_id: document.id, version_id: of.id, migration_batch_id: batch.id, line: row.line },
          ...{ person_name: person, person_role: role, approved_on, meaning, evidence },
          evidence_file_id: evidence_file === null ? null : files.get(evidence_file)!.id,
        },
        { number: document.number, version: of.version, from: provenance(row, batch) },
      )
      loaded.push({ resource_type: 'historical_approval', resource_id: id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const found = byId(await readApprovals(tx, idsOf(rows)))
    const files = await evidenceOf(batch, rows)
    return rows.map(({ values, resource_id, key }) => {
      const approval = found.get(resource_id!)
      if (!approval) return missing(key)
      const file = values.evidence_file === null ? undefined : files.get(values.evidence_file)
      return differing([
        ['number', values.number.trim(), callsBy(approval)],
        ['version', labelKey(values.version), approval.version],
        ['person', values.person, approval.person_name],
        ['role', values.role, approval.person_role],
        ['meaning', values.meaning, approval.meaning],
        ['approved_on', values.approved_on, approval.approved_on],
        ['evidence', values.evidence, approval.evidence],
        ['evidence_file', file?.sha256, approval.sha256],
      ])
    })
  },
}
