import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ask } from '../api/queries.ts'
import { useMe } from '../features/session/session.ts'
import { useFormat, useLanguage } from '../words/index.ts'
import { FactList } from './fact-list.tsx'

const en = {
  title: 'Retention',
  period: 'Retention period',
  years: (n: number) => (n === 1 ? '1 year' : `${n} years`),
  forEver: 'Kept for ever',
  until: 'Keep until',
  past: 'retention period is over',
  inUse: 'Kept while it is in use',
  hold: 'Legal hold',
  since: (number: string, day: string) => `${number}, since ${day}`,
  disposal: 'Disposal',
  disposed: (day: string) => `Disposed of on ${day}`,
  record: (number: string) => `record of disposal ${number}`,
  filePeriod: 'Attached files are kept',
  fileUntil: 'Keep files until',
  whileOpen: 'Kept while the record is open',
  attachedFiles: (n: number) => (n === 1 ? '1 attached file' : `${n} attached files`),
  recordStays: 'Only attached files are ever disposed of. The record, its signatures and the audit trail stay.',
}
const de: typeof en = {
  title: 'Aufbewahrung',
  period: 'Aufbewahrungsfrist',
  years: n => (n === 1 ? '1 Jahr' : `${n} Jahre`),
  forEver: 'Auf Dauer aufbewahrt',
  until: 'Aufbewahren bis',
  past: 'Frist ist abgelaufen',
  inUse: 'Aufbewahrt, solange in Gebrauch',
  hold: 'Löschsperre',
  since: (number, day) => `${number}, seit ${day}`,
  disposal: 'Vernichtung',
  disposed: day => `Vernichtet am ${day}`,
  record: number => `Vernichtungsprotokoll ${number}`,
  filePeriod: 'Angehängte Dateien aufbewahrt',
  fileUntil: 'Dateien aufbewahren bis',
  whileOpen: 'Aufbewahrt, solange der Datensatz offen ist',
  attachedFiles: n => (n === 1 ? '1 angehängte Datei' : `${n} angehängte Dateien`),
  recordStays:
    'Vernichtet werden nur angehängte Dateien. Der Datensatz, seine Unterschriften und der Audit Trail bleiben.',
}
const catalogues = { en, de }

interface Disposal {
  id: number
  number: string
  disposed_on: string
}

/** Wherever a record is listed that was disposed of: its content is gone, and here is why. */
export function Disposed({ of: disposal }: { of: Disposal | null | undefined }) {
  const w = catalogues[useLanguage()]
  const { day } = useFormat()
  const { permissions } = useMe()
  if (!disposal) return null
  return (
    <span className="soft">
      {w.disposed(day(disposal.disposed_on))},{' '}
      {permissions.includes('retention.read') ? (
        <Link to="/admin/disposals/$id" params={{ id: disposal.id }}>
          {w.record(disposal.number)}
        </Link>
      ) : (
        w.record(disposal.number)
      )}
    </span>
  )
}

type HoldOf = { id: number; number: string; placed_at: string }

function Holds({ of: holds }: { of: readonly HoldOf[] }) {
  const w = catalogues[useLanguage()]
  const { day } = useFormat()
  const { permissions } = useMe()
  return (
    <ul>
      {holds.map(({ id, number, placed_at }) => (
        <li key={id}>
          {permissions.includes('retention.read') ? (
            <Link to="/admin/legal-holds">{w.since(number, day(placed_at))}</Link>
          ) : (
            w.since(number, day(placed_at))
          )}
        </li>
      ))}
    </ul>
  )
}

const Part = ({ children }: { children: ReactNode }) => {
  const w = catalogues[useLanguage()]
  return (
    <section aria-label={w.title}>
      <h2>{w.title}</h2>
      {children}
    </section>
  )
}

/** How long the version is kept, and what holds it. */
export function DocumentRetention({ id, version }: { id: number; version: string }) {
  const w = catalogues[useLanguage()]
  const { day } = useFormat()
  const { data } = useQuery(ask('GET /api/documents/{id}/retention', { path: { id } }))
  if (!data) return null
  const shown = data.versions.find(each => each.version === version)
  if (!shown) return null
  const { retention_years } = data
  const until = shown.retention_until && (
    <>
      {day(shown.retention_until)}
      {shown.is_past && !shown.disposal && <span className="soft"> ({w.past})</span>}
    </>
  )
  return (
    <Part>
      <FactList
        facts={[
          [w.period, retention_years === null ? w.forEver : w.years(retention_years)],
          [w.until, until ?? (retention_years !== null && w.inUse)],
          [w.hold, data.holds.length > 0 && <Holds of={data.holds} />],
          [
            w.disposal,
            shown.disposal && <Disposed of={{ ...shown.disposal, disposed_on: shown.disposal.disposed_at }} />,
          ],
        ]}
      />
    </Part>
  )
}

/** How long the attached files of a deviation or a CAPA are kept, what holds them, and what disposed of them. */
export function CaseRetention({ kind, id }: { kind: 'deviations' | 'capa'; id: number }) {
  const w = catalogues[useLanguage()]
  const { day } = useFormat()
  const { data } = useQuery(ask(`GET /api/${kind}/{id}/retention`, { path: { id } }))
  if (!data) return null
  const { retention_years, retention_until, is_past, files_total, holds, disposals } = data
  // Without a period, a hold or a disposal there is nothing to say of it.
  if (retention_years === null && holds.length === 0 && disposals.length === 0) return null
  const until = retention_until && (
    <>
      {day(retention_until)}
      {is_past && files_total > 0 && <span className="soft"> ({w.past})</span>}
    </>
  )
  return (
    <Part>
      <FactList
        facts={[
          [w.filePeriod, retention_years === null ? w.forEver : w.years(retention_years)],
          [w.fileUntil, until ?? (retention_years !== null && w.whileOpen)],
          [w.hold, holds.length > 0 && <Holds of={holds} />],
          [
            w.disposal,
            disposals.length > 0 && (
              <ul>
                {disposals.map(disposal => (
                  <li key={disposal.id}>
                    <Disposed of={{ ...disposal, disposed_on: disposal.disposed_at }} />{' '}
                    <span className="soft">({w.attachedFiles(disposal.files_total)})</span>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
      <p className="soft">{w.recordStays}</p>
    </Part>
  )
}
