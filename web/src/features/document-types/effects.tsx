import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { call, type Given } from '../../api/client.ts'
import { useLater } from '../../ui/use-later.ts'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'

type Change = Given<'POST /api/document-types/{id}/effects'>['body']

/** What a change would mean for the documents that exist, before it is stored. */
export function Effects({ type: id, change }: { type: number; change: Change }) {
  const w = useTypeWords()
  const later = useLater(JSON.stringify(change), 400)
  const { data } = useQuery({
    queryKey: ['POST /api/document-types/{id}/effects', id, later],
    queryFn: ({ signal }) =>
      call('POST /api/document-types/{id}/effects', { path: { id }, body: JSON.parse(later) as Change }, signal),
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (!data) return null
  const { documents, effects } = data
  return (
    <section className={styles.effects} aria-label={w.effects} aria-live="polite">
      <Info size={16} aria-hidden="true" />
      <div>
        <p>
          <b>{w.documents(documents.total)}</b> {documents.total > 0 && effects.length === 0 && w.noEffect}
        </p>
        {effects.length > 0 && (
          <ul>
            {effects.map(each => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
