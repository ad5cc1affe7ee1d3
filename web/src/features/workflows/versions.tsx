import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { differencesInWords, namesOfBoth } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat } from '../../words/index.ts'
import type { Template } from './choices.ts'
import styles from './versions.module.css'
import { useDesignerWords } from './words.ts'

type Version = Answer<'GET /api/workflow-templates/{id}/versions'>['items'][number]

const page_size = 20

/** Who made which version, when and why; what two of them differ in; and which documents keep an old one. */
export function Versions({ template }: { template: Template }) {
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(
    askPage('GET /api/workflow-templates/{id}/versions', { path: { id: template.id }, query: { page, page_size } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={6} />
  return (
    <div className={styles.versions}>
      {data.items.length > 1 && <Comparison versions={data.items} />}
      <ol className={styles.list}>
        {data.items.map(version => (
          <VersionItem
            key={version.version}
            version={version}
            isCurrent={version.version === template.version}
            template={template.id}
          />
        ))}
      </ol>
      {data.pages > 1 && <Pager of={data} size={page_size} onPage={setPage} />}
    </div>
  )
}

function VersionItem({
  version: { version, created_at, created_by, change_reason, documents_under_way },
  isCurrent,
  template,
}: {
  version: Version
  isCurrent: boolean
  template: number
}) {
  const { versions: w, version: versionOf } = useDesignerWords()
  const { moment } = useFormat()
  const [showsDocuments, setShowsDocuments] = useState(false)
  return (
    <li>
      <h3>
        {versionOf(version)} {isCurrent && <Status of="effective" name={w.current} size="s" />}
      </h3>
      <p className="soft">
        <time dateTime={created_at}>{moment(created_at)}</time> {created_by ? w.by(nameOf(created_by)) : w.system}
      </p>
      {version > 1 && <p>{change_reason ?? <span className="soft">{w.noReason}</span>}</p>}
      <p className={styles.keep}>
        {w.keep(documents_under_way)}
        {documents_under_way > 0 && (
          <Button look="quiet" onPress={() => setShowsDocuments(!showsDocuments)} aria-expanded={showsDocuments}>
            {showsDocuments ? w.hideDocuments : w.showDocuments}
          </Button>
        )}
      </p>
      {showsDocuments && <Keeping template={template} version={version} total={documents_under_way} />}
    </li>
  )
}

function Keeping({ template, version, total }: { template: number; version: number; total: number }) {
  const { versions: w } = useDesignerWords()
  const { data, error, refetch } = useQuery(
    ask('GET /api/workflow-templates/{id}/documents', { path: { id: template }, query: { version, page_size: 100 } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={2} />
  const unnamed = total - data.items.length
  return (
    <ul className={styles.documents}>
      {data.items.map(({ id, number, title, version: label, status }) => (
        <li key={`${id} ${label}`}>
          <Link to="/documents/$id" params={{ id }} search={{ version: label }}>
            {number} {title}
          </Link>{' '}
          <span className="soft">{label}</span> <Status of={status} size="s" />
        </li>
      ))}
      {unnamed > 0 && <li className="soft">{w.unreadable(unnamed)}</li>}
    </ul>
  )
}

function Comparison({ versions }: { versions: Version[] }) {
  const { versions: w, version: versionOf } = useDesignerWords()
  const sentences = useWorkflowSentences()
  const [after, setAfter] = useState(String(versions[0]!.version))
  const [before, setBefore] = useState(String(versions[1]!.version))
  const options = versions.map(({ version }) => ({ id: String(version), name: versionOf(version) }))
  const find = (version: string) => versions.find(each => String(each.version) === version)
  const [old, next] = [find(before), find(after)]
  const isSame = before === after
  const differences =
    old && next && !isSame
      ? differencesInWords(old.definition, next.definition, namesOfBoth(old.names, next.names), sentences)
      : []
  return (
    <section className={styles.comparison} aria-label={w.compare}>
      <h3>{w.compare}</h3>
      <div className={styles.choices}>
        <Select label={w.before} options={options} value={before} onChange={setBefore} />
        <Select label={w.after} options={options} value={after} onChange={setAfter} />
      </div>
      {isSame ? (
        <p className="soft">{w.sameChoice}</p>
      ) : (
        <ul aria-label={w.changes(Number(before), Number(after))} className={styles.differences}>
          {(differences.length > 0 ? differences : [sentences.differences.none]).map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
