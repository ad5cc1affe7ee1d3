import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { PenLine, Trash2, UserPlus, UserRoundX } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import { ask, askPage } from '../../../api/queries.ts'
import { pageOf } from '../../../app/addresses.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { type Pick, PickMany } from '../../../records/fields/pick-many.tsx'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Toggle } from '../../../ui/filter.tsx'
import { Empty, NotRead } from '../../../ui/notes.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { nameOf, Person } from '../../../ui/person.tsx'
import { SearchText } from '../../../ui/search-text.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { Mark, Section } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import { GroupFields, useGroupFields } from './group-fields.tsx'

type Group = Answer<'GET /api/groups/{id}'>
type Member = Answer<'GET /api/groups/{id}/members'>['items'][number]
type Use = Answer<'GET /api/groups/{id}/use'>

const page_size = 25

/** Who is in the group, and what depends on it? */
export function GroupPage() {
  const { groups: w } = usePeopleWords()
  const { id } = useParams({ from: '/app/administration/admin/groups/$id' })
  const { permissions } = useMe()
  const navigate = useNavigate()
  const manages = permissions.includes('groups.manage')
  const { data: group, error, refetch } = useQuery(ask('GET /api/groups/{id}', { path: { id } }))
  const { data: use } = useQuery({ ...ask('GET /api/groups/{id}/use', { path: { id } }), enabled: manages })
  const [act, setAct] = useState<'add' | 'edit' | 'delete' | Member>()
  useTitle(group?.name)
  if (error || !group) return <NotRead error={error} onRetry={refetch} lines={12} />
  const close = () => setAct(undefined)
  const isNeeded = use && [use.workflow_templates, use.documents, use.curricula].some(({ total }) => total > 0)
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.groups}
        back={w.back}
        title={group.name}
        actions={
          manages && (
            <span className={styles.headTools} data-print="none">
              <Button icon={PenLine} onPress={() => setAct('edit')}>
                {w.rename}
              </Button>
              <Button icon={Trash2} whyNot={isNeeded ? w.inUse : undefined} onPress={() => setAct('delete')}>
                {w.delete}
              </Button>
              <Button look="main" icon={UserPlus} onPress={() => setAct('add')}>
                {w.add}
              </Button>
            </span>
          )
        }
        state={
          <>
            <Mark>{w.types[group.group_type]}</Mark>
            <span className="soft">{group.description}</span>
          </>
        }
      />
      <div className={page.columns}>
        <Members of={group} onRemove={manages ? setAct : undefined} />
        <div className={page.side}>{use && <Uses of={use} />}</div>
      </div>
      {act === 'add' && <AddDialog of={group} onClose={close} />}
      {act === 'edit' && <EditDialog of={group} onClose={close} />}
      {act === 'delete' && (
        <ReasonDialog
          title={w.deleteTitle}
          about={group.name}
          revision={group.revision}
          submit={w.delete}
          look="danger"
          isRequired
          send={(revision, reason) =>
            call('DELETE /api/groups/{id}', { path: { id }, body: { revision, ...withReason(reason) } })
          }
          done={w.deleted(group.name)}
          onDone={() => void navigate({ to: paths.groups })}
          onClose={close}
        >
          {w.deleteHint(group.member_count)}
        </ReasonDialog>
      )}
      {typeof act === 'object' && (
        <ReasonDialog
          title={w.removeTitle}
          about={`${nameOf(act)} · ${group.name}`}
          revision={group.revision}
          submit={w.submitRemove}
          look="danger"
          isRequired
          send={(revision, reason) =>
            call('DELETE /api/groups/{id}/remove-member/{user_id}', {
              path: { id, user_id: act.user_id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.removed(nameOf(act))}
          onClose={close}
        >
          {w.removeHint}
        </ReasonDialog>
      )}
    </div>
  )
}

function Members({ of: group, onRemove }: { of: Group; onRemove: ((member: Member) => void) | undefined }) {
  const { groups: w, remove } = usePeopleWords()
  const { day } = useFormat()
  const [q, setQ] = useState('')
  const [former, setFormer] = useState(false)
  const [at, setAt] = useState(1)
  const { data, error, refetch } = useQuery(
    askPage('GET /api/groups/{id}/members', {
      path: { id: group.id },
      query: { q: q || undefined, include_former: former || undefined, page: at, page_size, sort: 'full_name:asc' },
    }),
  )
  const narrow = (change: () => void) => {
    setAt(1)
    change()
  }
  return (
    <Section
      title={w.members}
      action={
        <search className={styles.tools} aria-label={w.members} data-print="none">
          <SearchText label={w.findPerson} text={q} onChange={next => narrow(() => setQ(next ?? ''))} />
          {onRemove && <Toggle name={w.former} isOn={former} onChange={isOn => narrow(() => setFormer(isOn))} />}
        </search>
      }
    >
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={6} />
      ) : data.items.length === 0 ? (
        <Empty icon={UserPlus} title={w.nobody}>
          <p>{w.nobodyHint}</p>
        </Empty>
      ) : (
        <>
          <ul className={styles.list}>
            {data.items.map(member => (
              <li key={`${member.user_id} ${member.added_at}`}>
                <div>
                  <Person of={member} /> <span className="soft">{member.username}</span>{' '}
                  {!member.is_active && <Mark>{w.inactive}</Mark>}
                  <p className="soft">
                    {w.since} {day(member.added_at)}
                    {member.removed_at &&
                      ` · ${w.until} ${day(member.removed_at)}${member.removed_by ? `, ${nameOf(member.removed_by)}` : ''}`}
                  </p>
                </div>
                {onRemove && member.removed_at === null && (
                  <Button
                    look="icon"
                    label={remove(nameOf(member))}
                    icon={UserRoundX}
                    onPress={() => onRemove(member)}
                  />
                )}
              </li>
            ))}
          </ul>
          <Pager of={data} size={page_size} onPage={next => setAt(next ?? 1)} />
        </>
      )}
    </Section>
  )
}

const apiOf: Record<keyof Use, string> = {
  workflow_templates: 'workflow-templates',
  document_types: 'document-types',
  documents: 'documents',
  curricula: 'training/curricula',
  training_programs: 'training',
  identity_providers: 'identity-providers',
}

function Uses({ of: use }: { of: Use }) {
  const { groups: w, user } = usePeopleWords()
  const kinds = (Object.keys(apiOf) as (keyof Use)[]).filter(kind => use[kind].total > 0)
  return (
    <section className={styles.side} aria-labelledby="use">
      <h2 id="use">{w.use}</h2>
      {kinds.length === 0 && <p className="soft">{w.unused}</p>}
      {kinds.map(kind => (
        <div key={kind}>
          <h3>
            {w.uses[kind]} <span className="soft">{use[kind].total}</span>
          </h3>
          <ul>
            {use[kind].items.map(({ id, name }) => {
              const to = kind === 'curricula' ? `/training/curricula/${id}` : pageOf(`/api/${apiOf[kind]}/${id}`)
              return <li key={id}>{to ? <Link to={to as '/'}>{name}</Link> : name}</li>
            })}
          </ul>
          {use[kind].total > use[kind].items.length && (
            <p className="soft">{user.more(use[kind].total - use[kind].items.length)}</p>
          )}
        </div>
      ))}
    </section>
  )
}

interface Props {
  of: Group
  onClose: () => void
}

function usePeopleFound(q: string): Pick[] | undefined {
  const { data } = useQuery(
    askPage('GET /api/users/', { query: { q, is_active: true, page_size: 20, sort: 'full_name:asc' } }),
  )
  return data?.items.map(each => ({ id: each.id, name: nameOf(each), detail: each.role }))
}

function AddDialog({ of: group, onClose }: Props) {
  const { groups: w, remove } = usePeopleWords()
  const [people, setPeople] = useState<Pick[]>([])
  const [isTried, setTried] = useState(false)
  return (
    <ReasonDialog
      title={w.addTitle}
      about={group.name}
      revision={group.revision}
      submit={w.add}
      size="m"
      isComplete={() => {
        setTried(true)
        return people.length > 0
      }}
      send={(revision, reason) =>
        call('POST /api/groups/{id}/add-member', {
          path: { id: group.id },
          body: { user_ids: people.map(({ id }) => id), revision, ...withReason(reason) },
        })
      }
      done={({ added }) => w.added(added.length)}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.addHint}</p>
          <PickMany
            label={w.whom}
            placeholder={w.findPerson}
            chosen={people}
            onChange={setPeople}
            useFound={usePeopleFound}
            removeLabel={remove}
            isRequired
            wrong={problem?.within('user_ids') ?? (isTried && people.length === 0 ? w.whomMissing : undefined)}
          />
        </>
      )}
    </ReasonDialog>
  )
}

function EditDialog({ of: group, onClose }: Props) {
  const { groups: w } = usePeopleWords()
  const form = useGroupFields(group)
  return (
    <ReasonDialog
      title={w.renameTitle}
      about={group.name}
      revision={group.revision}
      submit={w.rename}
      isRequired
      isComplete={form.isComplete}
      send={(revision, reason) => {
        const { name, description, group_type } = form.body()
        return call('PUT /api/groups/{id}', {
          path: { id: group.id },
          body: { name, description, group_type, revision, ...withReason(reason) },
        })
      }}
      done={({ name }) => w.saved(name)}
      onClose={onClose}
    >
      {problem => <GroupFields of={form} problem={problem} />}
    </ReasonDialog>
  )
}
