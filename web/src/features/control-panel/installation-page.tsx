import type { ReactNode } from 'react'
import { FactList } from '../../records/fact-list.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { useFormat } from '../../words/index.ts'
import type { AnswerOf } from './client.ts'
import styles from './control-panel.module.css'
import { PageHead } from './page-head.tsx'
import { Scrolled } from './scrolled.tsx'
import type { PageProps } from './session.ts'
import { bytesText, durationText } from './texts.ts'
import { usePanelQuery } from './use-panel-query.ts'
import { usePanelWords } from './words.ts'

type Installation = AnswerOf<'GET /api/platform/installation'>

/** What runs here, and how old is what it rests on? */
export function InstallationPage({ onSessionEnded }: PageProps) {
  const { installation: w, pages } = usePanelWords()
  const { data, error, refetch } = usePanelQuery('GET /api/platform/installation', undefined, { onSessionEnded })
  return (
    <>
      <PageHead title={pages.installation} about={w.about} />
      {error && error.status !== 401 ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={12} />
      ) : (
        <div className={styles.sections}>
          <Backup of={data} />
          <Versions of={data} />
          <Keys of={data} />
          <Certificates of={data} />
        </div>
      )}
    </>
  )
}

/** By the clock of the service: how long ago something was. */
function useAge(time: string) {
  const words = usePanelWords()
  return (moment: string) => durationText((Date.parse(time) - Date.parse(moment)) / 1000, words)
}

function Backup({ of: { newest_backup: backup, time } }: { of: Installation }) {
  const { installation: w } = usePanelWords()
  const { moment, locale } = useFormat()
  const age = useAge(time)
  const count = (n: number) => new Intl.NumberFormat(locale).format(n)
  return (
    <section aria-labelledby="backup">
      <h2 id="backup">{w.backup}</h2>
      {backup === null ? (
        <>
          <p className={styles.warnText}>{w.noBackup}</p>
          <p className="soft">{w.noBackupHint}</p>
        </>
      ) : (
        <>
          <p className={styles.big}>{w.backupAge(age(backup.snapshot_at))}</p>
          <FactList
            facts={[
              [w.backupOf, moment(backup.snapshot_at)],
              [w.backupHolds, w.backupRows(count(backup.rows), count(backup.files), bytesText(backup.bytes, locale))],
              [w.backupKeys, backup.has_keys ? w.withKeys : w.withoutKeys],
            ]}
          />
          <p className="soft">{w.backupLimit}</p>
        </>
      )}
    </section>
  )
}

function Versions({ of: { versions } }: { of: Installation }) {
  const { installation: w } = usePanelWords()
  const { moment } = useFormat()
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{w.versions}</h2>
      <FactList
        facts={[
          [w.program, versions.program],
          [w.release, versions.release],
          [w.node, versions.node],
          [w.postgresql, versions.postgresql],
          [w.migration, w.migrated(versions.migration.replace('.sql', ''), moment(versions.migrated_at))],
        ]}
      />
    </section>
  )
}

interface TableProps {
  title: string
  columns: string[]
  children: ReactNode
}

const Table = ({ title, columns, children }: TableProps) => (
  <div className={styles.wide}>
    <h2>{title}</h2>
    <Scrolled label={title}>
      <table className={styles.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            {columns.map(each => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scrolled>
  </div>
)

function Keys({ of: { keys, time } }: { of: Installation }) {
  const { installation: w } = usePanelWords()
  const { moment } = useFormat()
  const age = useAge(time)
  return (
    <Table title={w.keys} columns={[w.key, w.use, w.state, w.known, w.age]}>
      {keys.map(({ use, key_id, created_at, is_in_use }) => (
        <tr key={`${use} ${key_id}`}>
          <th scope="row">
            <code>{key_id}</code>
          </th>
          <td>{w.uses[use]}</td>
          <td>{is_in_use ? w.inUse : <span className="soft">{w.earlier}</span>}</td>
          <td>{moment(created_at)}</td>
          <td>{age(created_at)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Renewed by then, because a company needs some days for a new one. */
const soon_ms = 14 * 86_400_000

function Certificates({ of: { certificates, time } }: { of: Installation }) {
  const words = usePanelWords()
  const { installation: w } = words
  const { moment } = useFormat()
  if (certificates.length === 0)
    return (
      <section aria-labelledby="certificates" className={styles.wide}>
        <h2 id="certificates">{w.certificates}</h2>
        <p className="soft">{w.noCertificates}</p>
      </section>
    )
  return (
    <Table title={w.certificates} columns={[w.certificate, w.validTo, w.left, w.state]}>
      {certificates.map(({ of, valid_to, is_accepted, trouble }) => {
        const left_ms = valid_to === null ? 0 : Date.parse(valid_to) - Date.parse(time)
        const left = durationText(Math.abs(left_ms) / 1000, words)
        return (
          <tr key={of}>
            <th scope="row">{w.certificatesOf[of]}</th>
            <td>{valid_to && moment(valid_to)}</td>
            <td className={left_ms < soon_ms ? styles.badText : undefined}>
              {valid_to && (left_ms < 0 ? w.expired(left) : left)}
            </td>
            <td>
              {trouble !== null ? (
                <>
                  {w.unread}: <span lang="en">{trouble}</span>
                </>
              ) : (
                is_accepted !== null && (is_accepted ? w.accepted : w.notAccepted)
              )}
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
