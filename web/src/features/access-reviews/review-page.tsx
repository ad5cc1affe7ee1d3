import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleCheck, Download, OctagonAlert } from 'lucide-react'
import { useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { FactList } from '../../records/fact-list.tsx'
import list from '../../records/list/list-page.module.css'
import { Outcome } from '../../records/outcome.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import review from '../../records/review.module.css'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import styles from './access.module.css'
import { useAccountColumns } from './account-columns.tsx'
import { Remarks } from './accounts-page.tsx'
import { defaultSort, page_size } from './search.ts'

/** What somebody reviewed and signed, and what differs from it today. */
export function AccessReviewPage() {
  const { access, signatures: s } = useEvidenceWords()
  const w = access.reviews
  const { moment } = useFormat()
  const { id } = useParams({ from: '/app/access-review/$id' })
  const { data, error, refetch } = useQuery(ask('GET /api/users/access-reviews/{id}', { path: { id } }))
  useTitle(data ? w.of(id) : undefined)
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const { outcome, findings, reviewer, accounts, own_accounts, accounts_sha256, signature, is_intact } = data
  return (
    <div className={list.page}>
      <div className={page.page}>
        <RecordHead
          list={paths.accessReviews}
          back={w.back}
          title={w.of(id)}
          state={
            <>
              <Outcome of={outcome} name={w.outcomes[outcome]} />
              <Person of={reviewer} />
              <time className="soft" dateTime={signature.signed_at}>
                {moment(signature.signed_at)}
              </time>
            </>
          }
        />
        <div className={review.body}>
          <p className={is_intact ? review.good : review.bad} role={is_intact ? undefined : 'alert'}>
            {is_intact ? <CircleCheck size={16} aria-hidden="true" /> : <OctagonAlert size={16} aria-hidden="true" />}
            {is_intact ? `${w.intact} ${w.changed(data.changed_accounts)}` : w.altered}
          </p>
          {findings !== null && (
            <section>
              <h2>{access.findings}</h2>
              <p className={review.text}>{findings}</p>
            </section>
          )}
          <FactList
            facts={[
              [w.accounts, `${accounts}, ${w.own(own_accounts)}`],
              [s.facts.signer, `${nameOf(signature.signer)}, ${signature.signer.role}`],
              [s.facts.intent, signature.intent],
              [
                s.facts.code,
                <Link key="signature" to={paths.signature} params={{ id: signature.id }}>
                  {signature.verification_code}
                </Link>,
              ],
              [w.digest, <code key="digest">{accounts_sha256}</code>],
            ]}
          />
        </div>
      </div>
      <Remarks of={data.remarks} />
      <div className={styles.listTitle}>
        <h2>{w.listTitle}</h2>
        <Button
          icon={Download}
          onPress={() =>
            save(addressOf('GET /api/users/access-reviews/{id}/accounts', { path: { id }, query: { format: 'csv' } }))
          }
        >
          {access.export}
        </Button>
      </div>
      <Reviewed id={id} />
    </div>
  )
}

function Reviewed({ id }: { id: number }) {
  const { reviews: w } = useEvidenceWords().access
  const columns = useAccountColumns()
  const [sort, setSort] = useState(defaultSort)
  const [at, setAt] = useState(1)
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/users/access-reviews/{id}/accounts', { path: { id }, query: { page: at, page_size, sort } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  return (
    <>
      <DataTable
        label={w.listTitle}
        columns={columns}
        rows={data.items}
        rowKey={({ user_id }) => user_id}
        sort={sort}
        onSort={next => {
          setSort(next)
          setAt(1)
        }}
        isOld={isPlaceholderData}
      />
      <Pager of={data} size={page_size} onPage={setAt} />
    </>
  )
}
