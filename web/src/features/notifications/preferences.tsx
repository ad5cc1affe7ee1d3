import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Answer, call, type Given } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { useLanguage, useWords } from '../../words/index.ts'
import { kinds } from '../../words/notification-kinds.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import styles from './notifications.module.css'

type Stored = Answer<'GET /api/notifications/preferences'>
type Preference = Stored['preferences'][number]
type Change = Given<'PUT /api/notifications/preferences'>['body']['preferences']

const ways = ['immediate', 'digest', 'none'] as const
const subjects = ['document', 'controlled_copy', 'deviation', 'capa', 'training', 'other'] as const
const subjectOf = (type: string) => subjects.find(each => type.startsWith(each)) ?? 'other'

/** Each choice is stored as it is made, and shown once the service has it. */
export function Preferences() {
  const { notifications: w } = useWords()
  const { features } = useMe()
  const whyNot = useWhyNot('notifications.manage')
  const client = useQueryClient()
  const query = ask('GET /api/notifications/preferences', {})
  const { data, error, refetch } = useQuery(query)
  const {
    mutate,
    isPending,
    error: refusal,
  } = useMutation<Stored, Problem, Change>({
    mutationFn: preferences => call('PUT /api/notifications/preferences', { body: { preferences } }),
    onSuccess: stored => client.setQueryData(query.queryKey, stored),
  })
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={10} />
  const isFixed = isPending || whyNot !== undefined
  const chosen = data.preferences.filter(({ is_default }) => !is_default)
  return (
    <div className={styles.preferences}>
      <p className="soft">{whyNot ?? (features.mail ? w.preferencesHint : w.noMail)}</p>
      {refusal && <Refused error={refusal} />}
      <table className={styles.table}>
        <caption className="visually-hidden">{w.preferences}</caption>
        <thead>
          <tr>
            <th scope="col">{w.kind}</th>
            <th scope="col">{w.inApp}</th>
            {features.mail && <th scope="col">{w.email}</th>}
          </tr>
        </thead>
        {subjects.map(subject => (
          <tbody key={subject}>
            <tr>
              <th scope="rowgroup" colSpan={features.mail ? 3 : 2}>
                {w.subjects[subject]}
              </th>
            </tr>
            {data.preferences
              .filter(({ type }) => subjectOf(type) === subject)
              .map(preference => (
                <Row
                  key={preference.type}
                  preference={preference}
                  isFixed={isFixed}
                  hasMail={features.mail}
                  onChange={change => mutate([{ type: preference.type, ...change }])}
                />
              ))}
          </tbody>
        ))}
      </table>
      {chosen.length > 0 && (
        <div>
          <Button whyNot={whyNot} isPending={isPending} onPress={() => mutate(chosen.map(({ type }) => ({ type })))}>
            {w.restore}
          </Button>
        </div>
      )}
    </div>
  )
}

interface RowProps {
  preference: Preference
  isFixed: boolean
  hasMail: boolean
  onChange: (change: Partial<Pick<Preference, 'in_app' | 'email'>>) => void
}

function Row({ preference: { type, in_app, email, is_required }, isFixed, hasMail, onChange }: RowProps) {
  const { notifications: w } = useWords()
  const name = kinds[type][useLanguage()]
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {is_required ? (
          <span className="soft">{w.required}</span>
        ) : (
          <label className={styles.check}>
            <input
              type="checkbox"
              aria-label={w.inAppOf(name)}
              checked={in_app}
              disabled={isFixed}
              onChange={event => onChange({ in_app: event.target.checked })}
            />
          </label>
        )}
      </td>
      {hasMail && (
        <td>
          <select
            aria-label={w.emailOf(name)}
            value={email}
            disabled={isFixed || !in_app}
            onChange={event => onChange({ email: event.target.value as Preference['email'] })}
          >
            {ways.map(way => (
              <option key={way} value={way}>
                {w.ways[way]}
              </option>
            ))}
          </select>
        </td>
      )}
    </tr>
  )
}
