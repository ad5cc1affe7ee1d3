import { useQuery } from '@tanstack/react-query'
import { askAll } from '../../api/queries.ts'
import { PatternField } from '../../records/fields/pattern-field.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import styles from './company.module.css'
import type { Ending, Method, Field as SettingsField, Values } from './settings.ts'
import { TakersField } from './takers-field.tsx'
import { useCompanyWords } from './words.ts'

interface Props {
  field: SettingsField
  value: Values[SettingsField]
  onChange: (value: Values[SettingsField]) => void
  wrong: string | undefined
  /** What is wrong with a part of it. */
  wrongIn: (part: string) => string | undefined
}

const endings: Ending[] = [
  ...(['pdf', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'txt', 'csv'] as const),
  ...(['md', 'html', 'png', 'jpg', 'gif', 'webp', 'tif', 'mp4', 'zip'] as const),
]
const methods: Method[] = ['password', 'password_otp', 'session', 'passkey', 'provider']
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(each => each !== 'UTC')]

/** The control that fits a setting. */
export function SettingControl({ field, value, onChange, wrong, wrongIn }: Props) {
  const w = useCompanyWords()
  const { settings: s } = w
  const label = s.names[field]
  switch (field) {
    case 'signature_methods':
      return (
        <Several
          label={label}
          options={methods.map(id => ({ id, name: s.methods[id] }))}
          value={value as Method[]}
          onChange={onChange as (value: string[]) => void}
          wrong={wrong}
        />
      )
    case 'upload_types':
      return (
        <Several
          label={label}
          options={endings.map(id => ({ id, name: `.${id}` }))}
          value={value as Ending[]}
          onChange={onChange as (value: string[]) => void}
          isNarrow
          wrong={wrong}
        />
      )
    case 'signature_reauth_minutes':
      return <Minutes value={value as number | null} onChange={onChange} wrong={wrong} />
    case 'signature_statement':
      return (
        <Field
          label={s.statementText}
          hint={s.statementHint}
          rows={8}
          value={(value as Values['signature_statement'])?.text ?? ''}
          onChange={text => onChange({ version: 0, text })}
          wrong={wrong}
        />
      )
    case 'fda_letter':
      return <Letter value={value as Values['fda_letter']} onChange={onChange} wrong={wrong} />
    case 'password':
      return (
        <Count
          label={s.characters}
          value={(value as Values['password']).min_length}
          onChange={min_length => onChange({ min_length })}
          wrong={wrong}
        />
      )
    case 'session_idle_minutes':
      return <Count label={s.minutes} value={value as number} onChange={onChange} wrong={wrong} />
    case 'session_max_hours':
      return <Count label={s.hours} value={value as number} onChange={onChange} wrong={wrong} />
    case 'sessions_most':
      return <Count label={s.browsers} value={value as number} onChange={onChange} wrong={wrong} />
    case 'due_days':
    case 'escalation_hours':
      return (
        <div className={styles.counts}>
          {Object.entries(value as Record<string, number>).map(([part, n]) => (
            <Count
              key={part}
              label={`${s.parts[part as keyof typeof s.parts]} (${(field === 'due_days' ? s.days : s.hours).toLowerCase()})`}
              value={n}
              onChange={next => onChange({ ...(value as Values['due_days']), [part]: next })}
              wrong={wrong}
            />
          ))}
        </div>
      )
    case 'number_patterns':
      return Object.entries(value as Values['number_patterns']).map(([part, pattern]) => (
        <PatternField
          key={part}
          label={s.parts[part as keyof typeof s.parts]}
          value={pattern}
          onChange={next => onChange({ ...(value as Values['number_patterns']), [part]: next })}
          wrong={wrongIn(part)}
        />
      ))
    case 'retention_years':
      return (
        <div className={styles.counts}>
          {Object.entries(value as Values['retention_years']).map(([part, years]) => (
            <Field
              key={part}
              label={s.yearsOf(s.parts[part as keyof typeof s.parts])}
              hint={s.yearsHint}
              inputMode="numeric"
              value={years === null ? '' : String(years)}
              onChange={text => {
                const digits = text.replaceAll(/\D/g, '').slice(0, 3)
                onChange({ ...(value as Values['retention_years']), [part]: digits === '' ? null : Number(digits) })
              }}
              wrong={wrongIn(part)}
            />
          ))}
        </div>
      )
    case 'digest_hour':
      return (
        <Select
          label={label}
          options={Array.from({ length: 24 }, (_, hour) => ({ id: String(hour), name: s.units.hour(hour) }))}
          value={(value as number).toString()}
          onChange={id => onChange(Number(id))}
          wrong={wrong}
        />
      )
    case 'time_zone':
      return (
        <Select
          label={label}
          options={zones.map(id => ({ id, name: id.replaceAll('_', ' ') }))}
          value={value as string}
          onChange={id => onChange(id)}
          wrong={wrong}
        />
      )
    case 'language':
      return (
        <Select
          label={label}
          options={Object.entries(s.languages).map(([id, name]) => ({ id, name }))}
          value={value as string}
          onChange={id => onChange(id as Values['language'])}
          wrong={wrong}
        />
      )
    case 'deviation_form':
      return <DeviationForm value={value as number | null} onChange={onChange} wrong={wrong} />
    case 'hand_over_role':
      return <Role value={value as string | null} onChange={onChange} wrong={wrong} />
    case 'search_synonyms':
      return (
        <Field
          label={s.synonyms}
          hint={s.synonymsHint}
          rows={8}
          value={(value as string[]).join('\n')}
          onChange={text => onChange(text === '' ? [] : text.split('\n'))}
          wrong={wrong}
        />
      )
    case 'report_takers':
      return <TakersField value={value as Values['report_takers']} onChange={onChange} wrong={wrong} />
    default:
      return (
        <Choice
          label={label}
          options={[
            { id: 'yes', name: w.yes },
            { id: 'no', name: w.no },
          ]}
          value={value ? 'yes' : 'no'}
          onChange={id => onChange(id === 'yes')}
          wrong={wrong}
        />
      )
  }
}

interface OneProps<T> {
  value: T
  onChange: (value: T) => void
  wrong: string | undefined
}

/** The service says which numbers it takes, so that what is typed is sent as it is. */
function Count({ label, value, onChange, wrong }: OneProps<number> & { label: string }) {
  return (
    <Field
      label={label}
      inputMode="numeric"
      value={Number.isNaN(value) ? '' : String(value)}
      onChange={text => onChange(/^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN)}
      wrong={wrong}
    />
  )
}

interface SeveralProps extends OneProps<string[]> {
  label: string
  options: { id: string; name: string }[]
  isNarrow?: boolean
}

const Several = ({ label, options, value, onChange, wrong, isNarrow = false }: SeveralProps) => (
  <fieldset className={styles.several} data-narrow={isNarrow}>
    <legend>{label}</legend>
    {options.map(({ id, name }) => (
      <Checkbox
        key={id}
        isSelected={value.includes(id)}
        onChange={isOn => onChange(isOn ? [...value, id] : value.filter(each => each !== id))}
      >
        {name}
      </Checkbox>
    ))}
    {wrong && <p role="alert">{wrong}</p>}
  </fieldset>
)

function Minutes({ value, onChange, wrong }: OneProps<number | null>) {
  const { settings: s } = useCompanyWords()
  const kind = value === null ? 'installation' : value === 0 ? 'never' : 'own'
  return (
    <>
      <Choice
        label={s.names.signature_reauth_minutes}
        options={[
          { id: 'installation', name: s.installation },
          { id: 'never', name: s.never },
          { id: 'own', name: s.minutes },
        ]}
        value={kind}
        onChange={id => onChange(id === 'installation' ? null : id === 'never' ? 0 : 15)}
      />
      {kind === 'own' && <Count label={s.minutes} value={value ?? 15} onChange={onChange} wrong={wrong} />}
    </>
  )
}

function Letter({ value, onChange, wrong }: OneProps<Values['fda_letter']>) {
  const { settings: s } = useCompanyWords()
  const letter = value ?? { sent_on: '', reference: '', document_id: null }
  const change = (next: Partial<NonNullable<typeof value>>) => {
    const all = { ...letter, ...next }
    onChange(all.sent_on === '' && all.reference.trim() === '' ? null : all)
  }
  return (
    <>
      <DayField label={s.letterSent} value={letter.sent_on} onChange={sent_on => change({ sent_on })} />
      <Field
        label={s.letterReference}
        value={letter.reference}
        onChange={reference => change({ reference })}
        wrong={wrong}
      />
    </>
  )
}

function DeviationForm({ value, onChange, wrong }: OneProps<number | null>) {
  const { settings: s } = useCompanyWords()
  const { data = [], error } = useQuery(askAll('GET /api/deviations/form-templates/', { query: { is_active: true } }))
  return (
    <Select
      label={s.names.deviation_form}
      options={[{ id: '-', name: s.formNone }, ...data.map(({ id, name }) => ({ id: String(id), name }))]}
      value={value === null ? '-' : String(value)}
      onChange={id => onChange(id === '-' || id === '' ? null : Number(id))}
      wrong={wrong ?? error?.message}
    />
  )
}

function Role({ value, onChange, wrong }: OneProps<string | null>) {
  const { settings: s } = useCompanyWords()
  const { data = [], error } = useQuery(askAll('GET /api/roles/', {}))
  return (
    <Select
      label={s.role}
      options={[{ id: '-', name: s.roleNone }, ...data.map(({ name }) => ({ id: name, name }))]}
      value={value ?? '-'}
      onChange={id => onChange(id === '-' || id === '' ? null : id)}
      wrong={wrong ?? error?.message}
    />
  )
}
