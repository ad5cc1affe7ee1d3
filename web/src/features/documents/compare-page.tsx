import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronDown, ChevronLeft, Equal, FileX2, ScanText, UnfoldVertical } from 'lucide-react'
import { Fragment, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { startWorker } from '../../app/worker.ts'
import { Printed } from '../../records/printed.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice, MenuGroup } from '../../ui/menu.tsx'
import { Empty, Loading, NotRead, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import styles from './compare-page.module.css'
import { chosenVersions } from './compare-search.ts'
import { useCompareWords } from './compare-words.ts'
import { type Part, type Passage, passagesOf, type Row, type Stretch, stretchesOf } from './passages.ts'

type Version = Answer<'GET /api/documents/{id}/versions'>[number]
type Text = Answer<'GET /api/documents/{id}/versions/{version}/text'>

export function ComparePage() {
  const w = useCompareWords()
  const { document: dw } = useWords()
  const { id } = useParams({ from: '/app/documents/$id/compare' })
  const search = useSearch({ from: '/app/documents/$id/compare' })
  const navigate = useNavigate({ from: '/documents/$id/compare' })
  const document = useQuery(ask('GET /api/documents/{id}', { path: { id } }))
  const versions = useQuery(
    ask('GET /api/documents/{id}/versions', { path: { id }, query: { page_size: 100, sort: 'id:desc' } }),
  )
  useTitle(document.data && `${w.title} · ${document.data.number}`)
  const error = document.error ?? versions.error
  if (error)
    return <Unreadable error={error} onRetry={() => void Promise.all([document.refetch(), versions.refetch()])} />
  if (!document.data || !versions.data) return <Loading lines={12} />
  const labels = versions.data.map(({ version }) => version)
  const chosen = chosenVersions(labels, search)
  const { number, title } = document.data
  const statusOf = (label: string) => versions.data.find(({ version }) => version === label)?.status
  return (
    <div className={styles.page}>
      <Link
        to="/documents/$id"
        params={{ id }}
        search={chosen ? { version: chosen.to } : {}}
        className={styles.back}
        data-print="none"
      >
        <ChevronLeft size={14} aria-hidden="true" />
        {dw.versionOf(chosen?.to ?? document.data.version)}
      </Link>
      <h1>
        <span className={styles.number}>{number}</span> {title}
      </h1>
      <Printed />
      {chosen ? (
        <>
          <div className={styles.sides}>
            {(['from', 'to'] as const).map(side => (
              <span key={side}>
                <span className="soft">{w[side]}</span>
                <Choice
                  label={w.choose[side]}
                  labels={labels}
                  chosen={chosen[side]}
                  onChoose={label => void navigate({ search: { ...chosen, [side]: label }, replace: true })}
                />
                {statusOf(chosen[side]) && <Status of={statusOf(chosen[side])!} size="s" />}
              </span>
            ))}
          </div>
          <ChangedFacts versions={versions.data} {...chosen} />
          <Texts key={`${chosen.from} ${chosen.to}`} id={id} {...chosen} />
        </>
      ) : (
        <Empty icon={Equal} title={w.one} />
      )}
    </div>
  )
}

interface ChoiceProps {
  label: string
  labels: string[]
  chosen: string
  onChoose: (label: string) => void
}

function Choice({ label, labels, chosen, onChoose }: ChoiceProps) {
  const { document: dw } = useWords()
  return (
    <Menu
      label={label}
      trigger={
        <AriaButton className={styles.choice!} aria-label={`${label}: ${dw.versionOf(chosen)}`}>
          {dw.versionOf(chosen)}
          <ChevronDown size={14} aria-hidden="true" />
        </AriaButton>
      }
    >
      <MenuGroup title={label} chosen={chosen} onChoose={key => onChoose(String(key))}>
        {labels.map(each => (
          <MenuChoice key={each} id={each} name={dw.versionOf(each)} />
        ))}
      </MenuGroup>
    </Menu>
  )
}

interface Sides {
  from: string
  to: string
}

/** What is known of both versions and differs, and why the newer one was made. */
function ChangedFacts({ versions, from, to }: Sides & { versions: Version[] }) {
  const w = useCompareWords()
  const { document: dw } = useWords()
  const before = versions.find(({ version }) => version === from)
  const after = versions.find(({ version }) => version === to)
  if (!before || !after) return null
  const facts = ({ title, category, keywords, description, file, content }: Version): [string, string][] => [
    [w.facts.title, title],
    [dw.category, category ?? ''],
    [dw.keywords, keywords.join(', ')],
    [dw.description, description ?? ''],
    [dw.file, file.name + (content.pages ? `, ${dw.pages(content.pages)}` : '')],
  ]
  const then = facts(before)
  const changed = facts(after).flatMap(([name, value], at) => {
    const [, old] = then[at]!
    return old === value ? [] : [{ name, old, value }]
  })
  return (
    <section className={styles.facts} aria-label={w.changedFacts}>
      <h2>{w.changedFacts}</h2>
      <p>
        {dw.change[after.change_type]}
        {after.change_reason && `: ${after.change_reason}`}
      </p>
      {changed.length === 0 ? (
        <p className="soft">{w.sameFacts}</p>
      ) : (
        <dl>
          {changed.map(({ name, old, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {old && <del>{old}</del>} {value && <ins>{value}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function Texts({ id, from, to }: Sides & { id: number }) {
  const w = useCompareWords()
  const { document: dw } = useWords()
  const textOf = (version: string) => ask('GET /api/documents/{id}/versions/{version}/text', { path: { id, version } })
  const before = useQuery(textOf(from))
  const after = useQuery(textOf(to))
  const error = before.error ?? after.error
  if (error) return <Unreadable error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
  if (!before.data || !after.data) return <Loading lines={12} />
  const sides = [before.data, after.data]
  const missing = sides.filter(({ status }) => status !== 'extracted')
  if (missing.length > 0)
    return (
      <Empty icon={FileX2} title={w.cannot}>
        {missing.map(({ version, status, reason }) => (
          <p key={version}>
            {w.textIs[status as keyof typeof w.textIs](dw.versionOf(version))} {reason}
          </p>
        ))}
      </Empty>
    )
  return (
    <section className={styles.text} aria-label={w.text}>
      <h2>{w.text}</h2>
      {sides
        .filter(({ by_ocr }) => by_ocr)
        .map(({ version }) => (
          <p key={version} className={styles.note} role="note">
            <ScanText size={15} aria-hidden="true" />
            {w.byOcr(dw.versionOf(version))}
          </p>
        ))}
      <Compared before={before.data} after={after.data} />
    </section>
  )
}

/** Beside the page, so that it never stands still; ended when it is left. */
function compareBeside(before: Passage[], after: Passage[], signal: AbortSignal) {
  const worker = startWorker('compare')
  const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
  worker.addEventListener('message', ({ data }: MessageEvent<Row[]>) => resolve(data))
  worker.addEventListener('error', event => reject(new Error(event.message)))
  signal.addEventListener('abort', () => reject(signal.reason as Error))
  worker.postMessage([before, after])
  return promise.finally(() => worker.terminate())
}

function Compared({ before, after }: { before: Text; after: Text }) {
  const w = useCompareWords()
  const { document: dw, printing } = useWords()
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const { data, error, refetch } = useQuery({
    queryKey: ['compare', before.pages, after.pages],
    queryFn: ({ signal }) => compareBeside(passagesOf(before.pages), passagesOf(after.pages), signal),
    staleTime: Infinity,
    gcTime: 60_000,
  })
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  const changes = data.filter(({ isChanged }) => isChanged).length
  if (changes === 0) return <Empty icon={Equal} title={w.same} />
  return (
    <>
      <p className="soft">{w.changes(changes)}</p>
      <div className={styles.table}>
        <div className={styles.names} aria-hidden="true">
          <span>{dw.versionOf(before.version)}</span>
          <span>{dw.versionOf(after.version)}</span>
        </div>
        {stretchesOf(data).map(stretch =>
          stretch.isFolded && !unfolded.has(stretch.at) ? (
            <Fragment key={stretch.at}>
              <p className="soft" data-print="only">
                {printing.folded(stretch.rows.length)}
              </p>
              <span className={styles.fold} data-print="none">
                <Button
                  look="quiet"
                  icon={UnfoldVertical}
                  onPress={() => setUnfolded(new Set([...unfolded, stretch.at]))}
                >
                  {w.unfold(stretch.rows.length)}
                </Button>
              </span>
            </Fragment>
          ) : (
            <Lines key={stretch.at} stretch={stretch} />
          ),
        )}
      </div>
    </>
  )
}

const Lines = ({ stretch: { rows, at } }: { stretch: Stretch }) => (
  <ul>
    {rows.map((row, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place in the comparison, which never changes
      <li key={at + index} className={row.isChanged ? styles.changed : ''}>
        <Side of={row.before} as="del" />
        <Side of={row.after} as="ins" />
      </li>
    ))}
  </ul>
)

function Side({ of, as: Changed }: { of: Row['before']; as: 'del' | 'ins' }) {
  const { document: w } = useWords()
  if (!of) return <div className={styles.nothing} />
  return (
    <div>
      {of.page !== null && <span className={styles.place}>{w.onPage(of.page)}</span>}
      <p>{of.parts.map((part, at) => words(part, at, Changed))}</p>
    </div>
  )
}

const words = ({ text, isChanged }: Part, at: number, Changed: 'del' | 'ins') =>
  isChanged ? <Changed key={at}>{text}</Changed> : text
