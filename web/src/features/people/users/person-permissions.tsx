import { useQuery } from '@tanstack/react-query'
import { Check, ShieldAlert, X } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import list from '../../../records/list/list-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { FilterOne } from '../../../ui/filter.tsx'
import { Loading, Unreadable } from '../../../ui/notes.tsx'
import { nameOf } from '../../../ui/person.tsx'
import { SearchText } from '../../../ui/search-text.tsx'
import { useWords } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import styles from '../people.module.css'
import { byArea, type KnownPermission, type Permission, usePermissions } from '../permissions.ts'
import { usePeopleWords } from '../words.ts'
import { isSingle, whyInWords } from './explain.ts'
import own from './person-permissions.module.css'
import type { User } from './user-page.tsx'

type Permissions = Answer<'GET /api/users/{id}/permissions'>
type Explained = NonNullable<Permissions['explained']>[number]
type Line = KnownPermission & { why: Explained }
type Act = 'grant' | 'deny' | 'undo'

const shownFirst = ['held', 'notHeld', 'single'] as const
type Shown = (typeof shownFirst)[number]

/** Each permission and where it comes from. */
export function PersonPermissions({ of: user }: { of: User }) {
  const { explain: w } = usePeopleWords()
  const { documents } = useWords()
  const { id: ownId, permissions: mine } = useMe()
  const known = usePermissions()
  const { data, error, refetch } = useQuery(
    ask('GET /api/users/{id}/permissions', { path: { id: user.id }, query: { explain: true } }),
  )
  const [q, setQ] = useState('')
  const [shown, setShown] = useState<Shown>()
  const [open, setOpen] = useState<{ act: Act; line: Line }>()
  const failed = error ?? known.error
  if (failed) return <Unreadable error={failed} onRetry={() => void refetch()} />
  if (!data?.explained || !known.permissions) return <Loading lines={12} />
  const { roles = [], explained } = data
  const whyOf = new Map(explained.map(each => [each.permission, each]))
  const all = known.permissions.flatMap((each): Line[] => {
    const why = whyOf.get(each.name)
    return why ? [{ ...each, why }] : []
  })
  const sought = q.toLowerCase()
  const lines = all.filter(
    ({ name, description, why }) =>
      (description.toLowerCase().includes(sought) || name.includes(sought)) &&
      (shown === undefined || (shown === 'single' ? isSingle(why) : why.is_held === (shown === 'held'))),
  )
  const mayChange = mine.includes('permissions.grant')
  return (
    <>
      <search className={own.filters} aria-label={documents.filters} data-print="none">
        <SearchText label={w.find} text={q} onChange={next => setQ(next ?? '')} />
        <div className={list.chips}>
          <FilterOne label={w.show} values={shownFirst} names={w.filters} value={shown} onChange={setShown} />
        </div>
      </search>
      {lines.length === 0 && <p className={styles.none}>{w.nothingFound}</p>}
      {byArea(lines).map(({ area, items }) => (
        <AreaTable key={area} area={area} all={all}>
          {items.map(line => (
            <PermissionLine
              key={line.name}
              line={line}
              roles={roles}
              onAct={mayChange ? act => setOpen({ act, line }) : undefined}
              whyNot={user.id === ownId ? w.ownAccount : undefined}
            />
          ))}
        </AreaTable>
      ))}
      {open && <ChangeDialog {...open} user={user} of={data} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function AreaTable({ area, all, children }: { area: Line['area']; all: Line[]; children: React.ReactNode }) {
  const { areas, explain: w } = usePeopleWords()
  const within = all.filter(each => each.area === area)
  return (
    <section className={own.area} aria-labelledby={`area-${area}`}>
      <h2 id={`area-${area}`}>
        {areas[area]}{' '}
        <span className="soft">{w.count(within.filter(({ why }) => why.is_held).length, within.length)}</span>
      </h2>
      <ul>{children}</ul>
    </section>
  )
}

interface LineProps {
  line: Line
  roles: string[]
  onAct: ((act: Act) => void) | undefined
  whyNot: string | undefined
}

function PermissionLine({ line, roles, onAct, whyNot }: LineProps) {
  const { explain: w } = usePeopleWords()
  const { description, why, is_grantable } = line
  const restricted = why.restricted_by
  const [Icon, look, word] = restricted
    ? ([ShieldAlert, 'restricted', w.restricted] as const)
    : why.is_held
      ? ([Check, 'held', w.has] as const)
      : ([X, 'missing', w.hasNot] as const)
  const act: Act = isSingle(why) ? 'undo' : why.is_held ? 'deny' : 'grant'
  return (
    <li className={own.line}>
      <span className={own[look]} title={word}>
        <Icon size={15} aria-hidden="true" />
        <span className="visually-hidden">{word}</span>
      </span>
      <div>
        <p>{description}</p>
        <p className="soft">
          {whyInWords(why, roles, w)}
          {restricted && <span className={own.restricted}> · {restricted.detail}</span>}
        </p>
      </div>
      {onAct && is_grantable && (
        <span data-print="none">
          <Button
            look="quiet"
            aria-label={{ grant: w.grantOf, deny: w.denyOf, undo: w.undoOf }[act](description)}
            whyNot={whyNot}
            onPress={() => onAct(act)}
          >
            {w[act]}
          </Button>
        </span>
      )}
    </li>
  )
}

interface ChangeProps {
  act: Act
  line: Line
  user: User
  of: Permissions
  onClose: () => void
}

function ChangeDialog({ act, line: { name, description }, user, of, onClose }: ChangeProps) {
  const { explain: w } = usePeopleWords()
  const without = (names: string[]) => names.filter(each => each !== name) as Permission[]
  const granted = [...without(of.granted), ...(act === 'grant' ? [name] : [])]
  const denied = [...without(of.denied), ...(act === 'deny' ? [name] : [])]
  return (
    <ReasonDialog
      title={{ grant: w.grantTitle, deny: w.denyTitle, undo: w.undoTitle }[act]}
      about={nameOf(user)}
      revision={of.revision}
      submit={w[act]}
      look={act === 'deny' ? 'danger' : 'main'}
      isRequired
      send={(revision, reason) =>
        call('PUT /api/users/{id}/permissions', {
          path: { id: user.id },
          body: { granted, denied, revision, ...withReason(reason) },
        })
      }
      done={{ grant: w.granting(nameOf(user)), deny: w.denying(nameOf(user)), undo: w.undone }[act]}
      onClose={onClose}
    >
      <p>
        <b>{description}</b>
      </p>
      <p>{{ grant: w.grantHint, deny: w.denyHint, undo: w.undoHint }[act]}</p>
    </ReasonDialog>
  )
}
