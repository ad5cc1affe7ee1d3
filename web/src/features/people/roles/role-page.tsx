import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Plus, Save, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Radio, RadioGroup } from 'react-aria-components'
import { type Answer, call } from '../../../api/client.ts'
import type { Problem } from '../../../api/problem.ts'
import { ask, askAll } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { AwaitingChanges, isProposal, type Proposal, Proposed } from '../../../records/dialogs/change-proposed.tsx'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { FactList } from '../../../records/fact-list.tsx'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Loading, NotPermitted, NotRead, Refused, Unreadable } from '../../../ui/notes.tsx'
import { nameOf } from '../../../ui/person.tsx'
import { SearchText } from '../../../ui/search-text.tsx'
import { Select } from '../../../ui/select.tsx'
import { useFormDraft } from '../../../ui/use-form-draft.ts'
import { useLater } from '../../../ui/use-later.ts'
import { useTitle } from '../../../ui/use-title.ts'
import { useMe, useWhyNot } from '../../session/session.ts'
import { Mark } from '../parts.tsx'
import styles from '../people.module.css'
import { byArea, type KnownPermission, type Permission, usePermissions } from '../permissions.ts'
import { Difference } from '../users/user-acts.tsx'
import { usePeopleWords } from '../words.ts'
import { chainOf, markOf } from './marks.ts'
import matrix from './matrix.module.css'
import type { RoleInList } from './roles-page.tsx'

type Role = Answer<'GET /api/roles/{id}'>
type Preview = Answer<'POST /api/roles/preview'>

interface Fields {
  name: string
  description: string
  inherits: number | null
  granted: Permission[]
  denied: Permission[]
}

const fieldsOf = (role: Role | undefined, parent: number | null): Fields => ({
  name: role?.name ?? '',
  description: role?.description ?? '',
  inherits: role ? (role.inherits?.id ?? null) : parent,
  granted: (role?.granted ?? []) as Permission[],
  denied: (role?.denied ?? []) as Permission[],
})

export function NewRolePage() {
  const { roles: w } = usePeopleWords()
  const whyNot = useWhyNot('roles.manage')
  const { inherits } = useSearch({ from: '/app/administration/admin/roles/new' })
  useTitle(w.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={page.page}>
      <RecordHead list={paths.roles} back={w.back} title={w.create} state={null} />
      <Editor parent={inherits} />
    </div>
  )
}

/** What one role gives, and what a change of it would do. */
export function RolePage() {
  const { roles: w } = usePeopleWords()
  const { id } = useParams({ from: '/app/administration/admin/roles/$id' })
  const { permissions } = useMe()
  const navigate = useNavigate()
  const { data: role, error, refetch } = useQuery(ask('GET /api/roles/{id}', { path: { id } }))
  const [isDeleting, setDeleting] = useState(false)
  useTitle(role?.name)
  if (error || !role) return <NotRead error={error} onRetry={refetch} lines={12} />
  const manages = permissions.includes('roles.manage')
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.roles}
        back={w.back}
        title={role.name}
        actions={
          manages &&
          (role.is_system ? (
            <Button icon={Plus} onPress={() => void navigate({ to: paths.newRole, search: { inherits: role.id } })}>
              {w.derive}
            </Button>
          ) : (
            <Button
              icon={Trash2}
              whyNot={role.user_count > 0 ? w.hasPeople(role.user_count) : undefined}
              onPress={() => setDeleting(true)}
            >
              {w.delete}
            </Button>
          ))
        }
        state={
          <>
            <Mark>{role.is_system ? w.system : w.own}</Mark>
            <Link to={paths.users} search={{ role: [role.name] }}>
              {w.showUsers(role.user_count)}
            </Link>
            {manages && role.is_system && <span className="soft">{w.deriveHint}</span>}
          </>
        }
      />
      <Editor key={role.id} role={role} isReadOnly={role.is_system || !manages} />
      {isDeleting && (
        <ReasonDialog
          title={w.deleteTitle}
          about={role.name}
          revision={role.revision}
          submit={w.delete}
          look="danger"
          hasReason={false}
          send={() => call('DELETE /api/roles/{id}', { path: { id } })}
          done={w.deleted(role.name)}
          onDone={() => void navigate({ to: paths.roles })}
          onClose={() => setDeleting(false)}
        >
          {w.deleteHint}
        </ReasonDialog>
      )}
    </div>
  )
}

interface EditorProps {
  role?: Role
  /** The role that a new one begins to inherit from. */
  parent?: number | undefined
  isReadOnly?: boolean
}

function Editor({ role, parent, isReadOnly = false }: EditorProps) {
  const { roles: w } = usePeopleWords()
  const { id: ownId } = useMe()
  const navigate = useNavigate()
  const roles = useQuery(askAll('GET /api/roles/', { query: { sort: 'name:asc' } }))
  const known = usePermissions()
  const initial = fieldsOf(role, parent ?? null)
  const { fields, change, forget } = useFormDraft<Fields>(`role ${ownId} ${role?.id ?? `new ${parent ?? ''}`}`, initial)
  const [isSaving, setSaving] = useState(false)
  const [isTried, setTried] = useState(false)
  const [q, setQ] = useState('')
  const [proposal, setProposal] = useState<Proposal>()
  const failed = roles.error ?? known.error
  if (failed) return <Unreadable error={failed} onRetry={() => void roles.refetch()} />
  if (!roles.data || !known.permissions) return <Loading lines={12} />
  const { name, description, inherits, granted, denied } = fields
  const parents = roles.data.filter(each => each.id !== role?.id)
  const above = parents.find(({ id }) => id === inherits)
  const heirs = roles.data.filter(each => role && each.inherits?.id === role.id)
  const set = (permission: Permission, state: State) => {
    const without = (names: Permission[]) => names.filter(each => each !== permission)
    change({
      granted: [...without(granted), ...(state === 'granted' ? [permission] : [])],
      denied: [...without(denied), ...(state === 'denied' ? [permission] : [])],
    })
  }
  const descriptionOf = (each: Pick<RoleInList, 'name' | 'description' | 'is_system'>) =>
    (each.is_system && w.systemRoles[each.name]) || each.description
  const sought = q.toLowerCase()
  const lines = known.permissions.filter(each => each.description.toLowerCase().includes(sought))
  const isChanged = JSON.stringify(sorted(fields)) !== JSON.stringify(sorted(initial))
  return (
    <div className={page.columns}>
      <div>
        {proposal ? <Proposed of={proposal} /> : role && <AwaitingChanges kind="role" id={role.id} />}
        {!isReadOnly && (
          <div className={styles.section}>
            {!role && (
              <Field
                label={w.name}
                hint={w.nameHint}
                isRequired
                maxLength={80}
                value={name}
                onChange={next => change({ name: next })}
                wrong={isTried && name.trim() === '' ? w.nameMissing : undefined}
              />
            )}
            <Field
              label={w.description}
              maxLength={500}
              value={description}
              onChange={next => change({ description: next })}
            />
            <Select
              label={w.inherits}
              options={[
                { id: 'none', name: w.inheritsNothing },
                ...parents.map(each => ({ id: String(each.id), name: each.name, detail: descriptionOf(each) })),
              ]}
              value={inherits === null ? 'none' : String(inherits)}
              onChange={next => change({ inherits: next === 'none' ? null : Number(next) })}
            />
          </div>
        )}
        <section aria-labelledby="permissions" className={matrix.part}>
          <h2 id="permissions">{w.permissions}</h2>
          {!isReadOnly && <p className="soft">{w.permissionsHint}</p>}
          <div className={styles.section} data-print="none">
            <SearchText label={w.find} text={q} onChange={next => setQ(next ?? '')} />
          </div>
          <Permissions
            lines={lines}
            fields={fields}
            initial={initial}
            chain={above ? chainOf(above, roles.data) : []}
            onSet={isReadOnly ? undefined : set}
          />
        </section>
      </div>
      <div className={page.side}>
        {isReadOnly ? null : (
          <Changes role={role} fields={fields} isChanged={isChanged}>
            <div className={styles.tools}>
              {isChanged && <Button onPress={forget}>{w.discard}</Button>}
              <Button
                look="main"
                icon={Save}
                whyNot={isChanged ? undefined : w.noDifference}
                onPress={() => {
                  setTried(true)
                  if (name.trim() !== '') setSaving(true)
                }}
              >
                {role ? w.saveTo : w.submitNew}
              </Button>
            </div>
          </Changes>
        )}
        {role && (
          <FactList
            facts={[
              [w.description, isReadOnly && descriptionOf(role)],
              [w.inherits, role.inherits?.name ?? w.inheritsNothing],
              [w.heirs, heirs.map(each => each.name).join(', ')],
            ]}
          />
        )}
      </div>
      {isSaving && (
        <SaveDialog
          role={role}
          fields={fields}
          onDone={answer => {
            forget()
            if (isProposal(answer)) setProposal(answer)
            else if (!role) void navigate({ to: paths.role, params: { id: answer.id } })
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  )
}

const sorted = ({ granted, denied, ...fields }: Fields) => ({
  ...fields,
  granted: granted.toSorted(),
  denied: denied.toSorted(),
})

const states = ['inherit', 'granted', 'denied'] as const
type State = (typeof states)[number]

const stateIn = ({ granted, denied }: Fields, permission: Permission): State =>
  granted.includes(permission) ? 'granted' : denied.includes(permission) ? 'denied' : 'inherit'

interface PermissionsProps {
  lines: KnownPermission[]
  fields: Fields
  initial: Fields
  /** The role that it inherits from, and those above. */
  chain: RoleInList[]
  onSet: ((permission: Permission, state: State) => void) | undefined
}

function Permissions({ lines, fields, initial, chain, onSet }: PermissionsProps) {
  const { roles: w, areas, explain } = usePeopleWords()
  if (lines.length === 0) return <p className={styles.none}>{explain.nothingFound}</p>
  return byArea(lines).map(({ area, items }) => (
    <section key={area} aria-labelledby={`role-${area}`}>
      <h3 id={`role-${area}`}>{areas[area]}</h3>
      <ul className={matrix.rows}>
        {items.map(({ name, description, is_grantable }) => {
          const state = stateIn(fields, name)
          const { mark, from } = markOf(name, chain)
          const giver = mark === 'own' ? chain[0]?.name : from
          return (
            <li key={name} className={state === stateIn(initial, name) ? undefined : matrix.changed}>
              <div>
                {description}
                {giver && <p className="soft">{w.inheritedFrom(giver)}</p>}
              </div>
              {onSet && is_grantable ? (
                <RadioGroup
                  className={matrix.states!}
                  aria-label={description}
                  orientation="horizontal"
                  value={state}
                  onChange={next => onSet(name, next as State)}
                >
                  {states.map(each => (
                    <Radio
                      key={each}
                      value={each}
                      className={each === 'granted' ? matrix.granted! : each === 'denied' ? matrix.refused! : ''}
                    >
                      {w.states[each]}
                    </Radio>
                  ))}
                </RadioGroup>
              ) : (
                <span className={state === 'denied' ? styles.fault : undefined}>
                  {state === 'inherit' ? (
                    <span className="soft">{giver ? w.legend.inherited : w.legend.none}</span>
                  ) : (
                    w.states[state]
                  )}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  ))
}

/** What is on the screen, tried by the service: nothing is stored. */
function usePreview(role: Role | undefined, { inherits, granted, denied }: Fields, isAsked: boolean) {
  const asked = useLater(JSON.stringify({ role_id: role?.id, inherits_role_id: inherits, granted, denied }), 250)
  return useQuery<Preview, Problem>({
    queryKey: ['POST /api/roles/preview', asked, role?.revision],
    queryFn: ({ signal }) => call('POST /api/roles/preview', { body: JSON.parse(asked) }, signal),
    enabled: isAsked,
    placeholderData: before => before,
    retry: false,
  })
}

interface ChangesProps {
  role: Role | undefined
  fields: Fields
  isChanged: boolean
  children?: React.ReactNode
}

/** The difference to what is stored, and whom it touches. */
function Changes({ role, fields, isChanged, children }: ChangesProps) {
  const { roles: w } = usePeopleWords()
  const { data, error } = usePreview(role, fields, isChanged)
  return (
    <section className={`${styles.side} ${matrix.aside}`} aria-labelledby="difference">
      <h2 id="difference">{w.difference}</h2>
      {!isChanged ? (
        <p className="soft">{w.noDifference}</p>
      ) : error ? (
        <Refused error={error} />
      ) : (
        data && <Touched preview={data} isNew={!role} />
      )}
      {children}
    </section>
  )
}

function Touched({ preview, isNew }: { preview: Preview; isNew: boolean }) {
  const { roles: w, user } = usePeopleWords()
  const { gained, lost, people, people_total, roles } = preview
  return (
    <>
      <Difference
        gained={gained}
        lost={lost}
        words={{ gained: w.roleGains, lost: w.roleLoses, none: user.nothingChanges }}
      />
      {!isNew && (
        <p>
          <b>{w.touches(people_total)}</b>
        </p>
      )}
      {people.length > 0 && (
        <details>
          <summary>{w.showPeople}</summary>
          <ul className={styles.list}>
            {people.map(each => (
              <li key={each.id}>
                <div>
                  {nameOf(each)} <span className="soft">{each.role}</span>
                </div>
                <span className="soft">
                  {[
                    each.gained.length > 0 && w.gains(each.gained.length),
                    each.lost.length > 0 && w.loses(each.lost.length),
                  ]
                    .filter(Boolean)
                    .join(' ')}
                </span>
              </li>
            ))}
          </ul>
          {people_total > people.length && <p className="soft">{user.more(people_total - people.length)}</p>}
        </details>
      )}
      {roles.length > 1 && (
        <p className="soft">
          {w.touchedRoles}: {roles.map(({ name }) => name).join(', ')}
        </p>
      )}
    </>
  )
}

interface SaveProps {
  role: Role | undefined
  fields: Fields
  onDone: (answer: { id: number }) => void
  onClose: () => void
}

function SaveDialog({ role, fields, onDone, onClose }: SaveProps) {
  const { roles: w } = usePeopleWords()
  const { data } = usePreview(role, fields, true)
  const { name, description, inherits, granted, denied } = fields
  const body = { description, inherits_role_id: inherits, granted, denied }
  const { mutateAsync } = useMutation<{ id: number }, Problem, { revision: number; reason: string | undefined }>({
    mutationFn: ({ revision, reason }) =>
      role
        ? call('PUT /api/roles/{id}', { path: { id: role.id }, body: { ...body, revision, ...withReason(reason) } })
        : call('POST /api/roles/', { body: { ...body, name: name.trim() } }),
    onSuccess: onDone,
  })
  return (
    <ReasonDialog
      title={role ? w.saveTitle : w.createTitle}
      about={name}
      revision={role?.revision ?? 0}
      submit={w.submit}
      size="m"
      isRequired={role !== undefined}
      hasReason={role !== undefined}
      send={(revision, reason) => mutateAsync({ revision, reason })}
      done={(role ? w.done : w.created)(name)}
      onClose={onClose}
    >
      {problem => (
        <>
          {problem && problem.issues.length > 0 && <Refused>{problem.message}</Refused>}
          {data && <Touched preview={data} isNew={!role} />}
        </>
      )}
    </ReasonDialog>
  )
}
