import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { askPage, refresh } from '../../api/queries.ts'
import { ReasonDialog, withReason } from '../../records/dialogs/reason-dialog.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useLanguage } from '../../words/index.ts'
import { kinds } from '../../words/notification-kinds.ts'
import { useMe } from '../session/session.ts'
import styles from './company.module.css'
import { type MailStatus, type MessagesSearch, mailStatuses } from './search.ts'
import { useCompanyWords } from './words.ts'

type Mail = Answer<'GET /api/mails/'>['items'][number]
interface Decision {
  mail: Mail
  act: 'retry' | 'dismiss'
}

const page_size = 25
const looks: Record<MailStatus, string> = {
  failed: 'failed',
  queued: 'in_progress',
  sent: 'done',
  suppressed: 'waived',
  dismissed: 'cancelled',
}

/** Who was not told of what, and why? */
export function MessagesPage() {
  const { messages: w } = useCompanyWords()
  const { permissions, features } = useMe()
  const client = useQueryClient()
  const search = useSearch({ from: '/app/administration/admin/messages' })
  const navigate = useNavigate({ from: '/admin/messages' })
  const [deciding, setDeciding] = useState<Decision>()
  const subjectOf = useSubject()
  const { status = ['failed'], page } = search
  const found = useQuery(askPage('GET /api/mails/', { query: { status, page, page_size } }))
  const columns = useColumns(permissions.includes('settings.manage') ? setDeciding : undefined)
  useTitle(w.title)
  const narrow = (change: MessagesSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  return (
    <ListPage
      title={w.title}
      about={features.mail ? w.about : w.withoutMail}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={narrow}
      isNarrowed={search.status !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: MailCheck, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters>
        <Filter
          label={w.status}
          options={mailStatuses.map(id => ({ id, name: w.statuses[id] }))}
          value={status}
          onChange={next => narrow({ status: mailStatuses.filter(each => next.includes(each)) })}
        />
      </ListFilters>
      {deciding && (
        <ReasonDialog
          // It is decided once, and the service says so to whoever comes later.
          revision={0}
          title={deciding.act === 'retry' ? w.retryTitle : w.dismissTitle}
          about={`${nameOf(deciding.mail.recipient)}: ${subjectOf(deciding.mail)}`}
          submit={deciding.act === 'retry' ? w.retry : w.dismiss}
          done={deciding.act === 'retry' ? w.retried : w.dismissed}
          send={(_, reason) => {
            const [path, body] = [{ id: deciding.mail.id }, withReason(reason)]
            return deciding.act === 'retry'
              ? call('POST /api/mails/{id}/retry', { path, body })
              : call('POST /api/mails/{id}/dismiss', { path, body })
          }}
          onClose={() => {
            setDeciding(undefined)
            void refresh(client, 'mails/')
          }}
        >
          <p>{deciding.act === 'retry' ? w.retryHint : w.dismissHint}</p>
        </ReasonDialog>
      )}
    </ListPage>
  )
}

/** What an e-mail is about, by its kind alone. */
function useSubject() {
  const { messages: w } = useCompanyWords()
  const language = useLanguage()
  return ({ kind, notification_type, notifications }: Mail) =>
    kind === 'password_link'
      ? w.link
      : kind === 'digest'
        ? w.digest(notifications)
        : ((kinds as Record<string, Record<typeof language, string>>)[notification_type ?? '']?.[language] ??
          w.notification)
}

function useColumns(onDecide: ((decision: Decision) => void) | undefined): Column<Mail>[] {
  const { acts, messages: w } = useCompanyWords()
  const { moment } = useFormat()
  const subjectOf = useSubject()
  const named = (act: string, mail: Mail) => `${act}: ${nameOf(mail.recipient)}`
  return [
    {
      id: 'what',
      title: w.what,
      isHeading: true,
      cell: mail => (
        <>
          {subjectOf(mail)}
          {mail.error && mail.status !== 'sent' && <p className={styles.failure}>{mail.error}</p>}
        </>
      ),
    },
    { id: 'to', title: w.to, cell: ({ recipient }) => <Person of={recipient} /> },
    { id: 'status', title: w.status, cell: mail => <Status of={looks[mail.status]} name={w.statuses[mail.status]} /> },
    { id: 'attempts', title: w.attempts, rank: 1, cell: ({ attempts }) => attempts },
    {
      id: 'when',
      title: w.when,
      rank: 1,
      cell: ({ failed_at, created_at }) => (failed_at ? moment(failed_at) : moment(created_at)),
    },
    ...(onDecide
      ? [
          {
            id: 'acts',
            title: acts,
            cell: (mail: Mail) =>
              mail.status === 'failed' && (
                <span className={styles.acts} data-print="none">
                  <Button
                    look="quiet"
                    aria-label={named(w.retry, mail)}
                    onPress={() => onDecide({ mail, act: 'retry' })}
                  >
                    {w.retry}
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={named(w.dismiss, mail)}
                    onPress={() => onDecide({ mail, act: 'dismiss' })}
                  >
                    {w.dismiss}
                  </Button>
                </span>
              ),
          },
        ]
      : []),
  ]
}
