import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { askAll } from '../../../api/queries.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Section } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import type { Provider } from './provider-form.tsx'

type Mapping = Provider['mappings'][number]

const sentOf = ({ claim_value, role_id, group_id, priority }: Mapping) => ({
  claim_value,
  ...(role_id !== null && { role_id }),
  ...(group_id !== null && { group_id }),
  priority,
})

/** Which role or group here each group of the provider gives. */
export function Mappings({ of: provider }: { of: Provider }) {
  const { providers: w } = usePeopleWords()
  const { data: roles = [] } = useQuery(askAll('GET /api/roles/', { query: { sort: 'name:asc' } }))
  const { data: groups = [] } = useQuery(askAll('GET /api/groups/', { query: { sort: 'name:asc' } }))
  const [open, setOpen] = useState<'add' | Mapping>()
  const nameOf = ({ role_id, group_id }: Mapping) =>
    role_id === null
      ? w.givesGroup(groups.find(({ id }) => id === group_id)?.name ?? '–')
      : w.givesRole(roles.find(({ id }) => id === role_id)?.name ?? '–')
  const save = (mappings: Mapping[], revision: number, reason: string | undefined) =>
    call('PUT /api/identity-providers/{id}/mappings', {
      path: { id: provider.id },
      body: { mappings: mappings.map(sentOf), revision, ...withReason(reason) },
    })
  return (
    <Section
      title={w.mappings}
      about={provider.roles_from === 'claims' ? w.mappingsHint : `${w.mappingsHint} ${w.mappingsOff}`}
      action={<Button onPress={() => setOpen('add')}>{w.addMapping}</Button>}
    >
      {provider.mappings.length === 0 ? (
        <p className={styles.none}>{w.noMappings}</p>
      ) : (
        <div className={styles.frame}>
          <table className={styles.table}>
            <caption className="visually-hidden">{w.mappings}</caption>
            <thead>
              <tr>
                <th scope="col">{w.claimValue}</th>
                <th scope="col">{w.gives}</th>
                <th scope="col">{w.priority}</th>
                <th scope="col">
                  <span className="visually-hidden">{w.submitRemove}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {provider.mappings.map(each => (
                <tr key={`${each.claim_value} ${each.role_id} ${each.group_id}`}>
                  <th scope="row">{each.claim_value}</th>
                  <td>{nameOf(each)}</td>
                  <td>{each.role_id !== null && each.priority}</td>
                  <td>
                    <Button
                      look="icon"
                      label={w.removeDomain(each.claim_value)}
                      icon={Trash2}
                      onPress={() => setOpen(each)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {open === 'add' && (
        <AddMapping
          provider={provider}
          roles={roles}
          groups={groups}
          save={(added, revision, reason) => save([...provider.mappings, added], revision, reason)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {typeof open === 'object' && (
        <ReasonDialog
          title={w.removeDomain(open.claim_value)}
          about={nameOf(open)}
          revision={provider.revision}
          submit={w.submitRemove}
          look="danger"
          send={(revision, reason) =>
            save(
              provider.mappings.filter(each => each !== open),
              revision,
              reason,
            )
          }
          done={w.mappingsSaved}
          onClose={() => setOpen(undefined)}
        >
          {w.mappingsHint}
        </ReasonDialog>
      )}
    </Section>
  )
}

interface AddProps {
  provider: Provider
  roles: { id: number; name: string }[]
  groups: { id: number; name: string }[]
  save: (mapping: Mapping, revision: number, reason: string | undefined) => Promise<Provider>
  onClose: () => void
}

function AddMapping({ provider, roles, groups, save, onClose }: AddProps) {
  const { providers: w } = usePeopleWords()
  const [claim, setClaim] = useState('')
  const [gives, setGives] = useState('')
  const [priority, setPriority] = useState('0')
  const [isTried, setTried] = useState(false)
  const [kind, id] = gives.split(' ')
  const isPriority = /^\d{1,4}$/.test(priority.trim())
  return (
    <ReasonDialog
      title={w.mappingTitle}
      about={provider.name}
      revision={provider.revision}
      submit={w.mappingAdd}
      isComplete={() => {
        setTried(true)
        return claim.trim() !== '' && gives !== '' && isPriority
      }}
      send={(revision, reason) =>
        save(
          {
            claim_value: claim.trim(),
            role_id: kind === 'role' ? Number(id) : null,
            group_id: kind === 'group' ? Number(id) : null,
            priority: kind === 'role' ? Number(priority) : 0,
          },
          revision,
          reason,
        )
      }
      done={w.mappingsSaved}
      onClose={onClose}
    >
      {problem => (
        <>
          <Field
            label={w.claimValue}
            isRequired
            autoFocus
            maxLength={200}
            value={claim}
            onChange={setClaim}
            wrong={problem?.within('mappings') ?? (isTried && claim.trim() === '' ? w.required : undefined)}
          />
          <Select
            label={w.gives}
            isRequired
            options={[
              ...roles.map(each => ({ id: `role ${each.id}`, name: w.givesRole(each.name) })),
              ...groups.map(each => ({ id: `group ${each.id}`, name: w.givesGroup(each.name) })),
            ]}
            value={gives}
            onChange={setGives}
            wrong={isTried && gives === '' ? w.required : undefined}
          />
          {kind === 'role' && (
            <Field
              label={w.priority}
              inputMode="numeric"
              value={priority}
              onChange={setPriority}
              wrong={isTried && !isPriority ? w.required : undefined}
            />
          )}
        </>
      )}
    </ReasonDialog>
  )
}
