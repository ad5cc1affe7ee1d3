import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Download, OctagonAlert } from 'lucide-react'
import { ask } from '../../api/queries.ts'
import { FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { saveBytes } from '../../ui/save.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import styles from './entry-details.module.css'
import { rootFrom } from './inclusion.ts'

/** What proves that the entry is in the log, and what this browser finds when it computes it. */
export function Proof({ id }: { id: number }) {
  const { proof: w } = useEvidenceWords().audit
  const { locale, moment } = useFormat()
  const { data, error, refetch } = useQuery(ask('GET /api/audit/{id}/proof', { path: { id } }))
  const computed = useQuery({
    queryKey: ['root of a proof', data],
    // A page without TLS, and not of this machine, has no hashes to compute by.
    queryFn: async () =>
      globalThis.crypto.subtle === undefined
        ? null
        : ((await rootFrom({ ...data!, size: data!.checkpoint.size })) ?? ''),
    enabled: data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={3} />
  const { checkpoint, index, leaf_hash, proof } = data
  return (
    <section className={styles.proof} aria-label={w.title}>
      <h3>{w.title}</h3>
      {computed.data === null && <p className="soft">{w.cannot}</p>}
      {typeof computed.data === 'string' &&
        (computed.data === checkpoint.root ? (
          <p className={styles.good}>
            <CircleCheck size={14} aria-hidden="true" />
            {w.leads(proof.length)}
          </p>
        ) : (
          <p className={styles.bad} role="alert">
            <OctagonAlert size={14} aria-hidden="true" />
            {w.fails}
          </p>
        ))}
      <p className="soft">{w.limits}</p>
      <FactList
        facts={[
          [w.place, w.placeOf((index + 1).toLocaleString(locale), checkpoint.size.toLocaleString(locale))],
          [w.leaf, <code key="leaf">{leaf_hash}</code>],
          [w.root, <code key="root">{checkpoint.root}</code>],
          [w.signedAt, moment(checkpoint.created_at)],
          [w.key, checkpoint.vkeys.map(each => <code key={each}>{each}</code>)],
        ]}
      />
      <Button
        icon={Download}
        onPress={() =>
          saveBytes(new TextEncoder().encode(JSON.stringify(data, null, 2)), `audit-entry-${id}-proof.json`)
        }
      >
        {w.save}
      </Button>
    </section>
  )
}
