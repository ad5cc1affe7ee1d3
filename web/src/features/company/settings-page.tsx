import { useQuery, useQueryClient } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { ask, askAll, refresh } from '../../api/queries.ts'
import { type Proposal, Proposed } from '../../records/dialogs/change-proposed.tsx'
import { useShownPattern } from '../../records/fields/pattern-field.tsx'
import list from '../../records/list/list-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './company.module.css'
import { NameDialog } from './name-dialog.tsx'
import { SettingDialog } from './setting-dialog.tsx'
import { type Field, groups, isDefault, type Settings, valueInWords } from './settings.ts'
import { useCompanyWords } from './words.ts'

/** How does the service behave for us, and who decided so? */
export function SettingsPage() {
  const w = useCompanyWords()
  const { settings: s } = w
  const { permissions } = useMe()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(ask('GET /api/settings/', {}))
  const [changing, setChanging] = useState<Field>()
  const [onlyChanged, setOnlyChanged] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  const [proposed, setProposed] = useState<Proposal>()
  useTitle(s.title)
  const mayChange = permissions.includes('settings.manage')
  const shown = (field: Field) => !onlyChanged || (data !== undefined && !isDefault(data, field))
  const parts = Object.entries(groups).flatMap(([group, fields]) => {
    const left = fields.filter(shown)
    return left.length > 0 ? [{ group: group as keyof typeof groups, fields: left }] : []
  })
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div>
          <h1>{s.title}</h1>
          <p className="soft">{s.about}</p>
        </div>
        <Toggle name={s.onlyChanged} isOn={onlyChanged} onChange={setOnlyChanged} />
      </header>
      {proposed && (
        <div className={styles.proposed}>
          <Proposed of={proposed} />
        </div>
      )}
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={14} />
      ) : parts.length === 0 ? (
        <Empty icon={SlidersHorizontal} title={s.noneChanged}>
          <p>{s.noneChangedHint}</p>
        </Empty>
      ) : (
        <div className={styles.settings}>
          {parts.map(({ group, fields }) => (
            <section key={group} aria-labelledby={`settings-${group}`}>
              <h2 id={`settings-${group}`}>{s.groups[group]}</h2>
              <ul>
                {group === 'region' && !onlyChanged && (
                  <Row
                    of={data}
                    field="company_name"
                    title={s.company.name}
                    says={s.company.says}
                    value={data.company_name}
                    onChange={mayChange ? () => setRenaming(true) : undefined}
                  />
                )}
                {fields.map(field => (
                  <Setting
                    key={field}
                    of={data}
                    field={field}
                    onChange={mayChange ? () => setChanging(field) : undefined}
                  />
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
      {data && isRenaming && (
        <NameDialog
          settings={data}
          onClose={() => {
            setRenaming(false)
            void refresh(client, 'settings/', 'auth/me')
          }}
        />
      )}
      {data && changing && (
        <SettingDialog
          key={changing}
          settings={data}
          field={changing}
          onProposed={setProposed}
          onClose={() => {
            setChanging(undefined)
            void refresh(client, 'settings/', 'auth/me')
          }}
        />
      )}
    </div>
  )
}

interface SettingProps {
  of: Settings
  field: Field
  /** Missing: this person may not change it. */
  onChange: (() => void) | undefined
}

function Setting({ of: settings, field, onChange }: SettingProps) {
  const w = useCompanyWords()
  const { settings: s } = w
  const { data: forms = [] } = useQuery({
    ...askAll('GET /api/deviations/form-templates/', {}),
    enabled: field === 'deviation_form' && settings.deviation_form !== null,
  })
  const formOf = (id: number) => forms.find(each => each.id === id)?.name ?? '…'
  const format = { ...useFormat(), patternOf: useShownPattern(), formOf }
  return (
    <Row
      of={settings}
      field={field}
      title={s.names[field]}
      says={s.says[field]}
      value={valueInWords(settings, field, w, format)}
      usual={isDefault(settings, field) ? undefined : valueInWords(settings.defaults, field, w, format)}
      onChange={onChange}
    />
  )
}

interface RowProps {
  of: Settings
  /** By which its last change is found. */
  field: string
  title: string
  says: string
  value: string
  /** The default, where it is another. */
  usual?: string | undefined
  onChange: (() => void) | undefined
}

function Row({ of: settings, field, title, says, value, usual, onChange }: RowProps) {
  const w = useCompanyWords()
  const { moment } = useFormat()
  const change = settings.last_changes.find(each => each.field === field)
  const when = change && moment(change.changed_at)
  return (
    <li className={styles.setting}>
      <div>
        <h3>{title}</h3>
        <p className="soft">{says}</p>
      </div>
      <div className={styles.value}>
        <p>
          <b>{value}</b>
        </p>
        {usual !== undefined && <p className="soft">{w.defaultIs(usual)}</p>}
        {change && (
          <p className="soft">
            {change.changed_by ? w.lastChange(nameOf(change.changed_by), when!) : w.lastChangeBySystem(when!)}
            {change.change_reason && <>: {w.because(change.change_reason)}</>}
          </p>
        )}
      </div>
      {onChange && (
        <div data-print="none">
          <Button look="quiet" aria-label={w.changeOf(title)} onPress={onChange}>
            {w.change}
          </Button>
        </div>
      )}
    </li>
  )
}
