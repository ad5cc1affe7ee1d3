import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { askPage } from '../../../api/queries.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { PersonField } from '../../../records/fields/person-field.tsx'
import { Loading } from '../../../ui/notes.tsx'
import { nameOf, Person } from '../../../ui/person.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import { kindsIn, totalOf } from './person-work.tsx'
import type { User } from './user-page.tsx'

/** Ends an account, and hands over what is open; of an account that has ended, the hand-over alone. */
export function DeactivateDialog({ of: user, onClose }: { of: User; onClose: () => void }) {
  const { user: w } = usePeopleWords()
  const [successor, setSuccessor] = useState<number>()
  const { data: work } = useQuery(
    askPage('GET /api/users/{id}/open-work', { path: { id: user.id }, query: { successor_id: successor } }),
  )
  const total = work ? totalOf(work) : 0
  const name = nameOf(user)
  const isLeaving = user.is_active
  return (
    <ReasonDialog
      title={isLeaving ? w.deactivateTitle : w.handOver}
      about={name}
      revision={user.revision}
      submit={isLeaving ? w.deactivate : w.handOver}
      look={isLeaving ? 'danger' : 'main'}
      size="m"
      isRequired
      send={async (revision, reason) => {
        const body = { ...(successor !== undefined && { successor_id: successor }), revision }
        if (!isLeaving)
          return call('POST /api/users/{id}/hand-over', {
            path: { id: user.id },
            body: { ...body, change_reason: reason ?? '' },
          })
        const { hand_over } = await call('POST /api/users/{id}/deactivate', {
          path: { id: user.id },
          body: { ...body, ...withReason(reason) },
        })
        return hand_over
      }}
      done={job =>
        [isLeaving ? w.deactivated(name) : '', job ? w.handingOver(job.total) : ''].filter(Boolean).join('. ')
      }
      onClose={onClose}
    >
      {problem => (
        <>
          {isLeaving && <p>{w.deactivateHint}</p>}
          {!work ? (
            <Loading lines={3} />
          ) : total === 0 ? (
            <p className={styles.none}>{w.nothingOpen}</p>
          ) : (
            <>
              <PersonField
                label={w.successor}
                hint={w.successorHint}
                without={[user.id]}
                onChange={setSuccessor}
                wrong={problem?.of('successor_id')}
              />
              <div className={styles.frame}>
                <table className={styles.table}>
                  <caption className="visually-hidden">{w.open(total)}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{w.kind}</th>
                      <th scope="col">{w.number}</th>
                      <th scope="col">{w.taker}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {kindsIn(work).map(kind => {
                      const taker = work.takers.find(each => each.kind === kind)?.person
                      return (
                        <tr key={kind}>
                          <th scope="row">{w.kinds[kind]}</th>
                          <td>{work.counts[kind]}</td>
                          <td>{taker ? <Person of={taker} /> : <span className="soft">{w.nobodyTakes}</span>}</td>
                        </tr>
                      )
                    })}
                  </tbody>
                </table>
              </div>
              <p className="soft">{w.openHint}</p>
            </>
          )}
        </>
      )}
    </ReasonDialog>
  )
}
