import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { nameOf, type PersonShape } from '../ui/person.tsx'
import { useFormat, useLanguage } from '../words/index.ts'
import styles from './stored-versions.module.css'

const catalogues = {
  en: {
    version: (n: number) => `Version ${n}`,
    current: 'in use',
    show: (n: number) => `What changed in version ${n}`,
    first: 'The first version',
    system: 'Came with the company',
    noReason: 'No reason was given.',
  },
  de: {
    version: (n: number) => `Version ${n}`,
    current: 'in Gebrauch',
    show: (n: number) => `Was Version ${n} geändert hat`,
    first: 'Die erste Version',
    system: 'War von Anfang an da',
    noReason: 'Ein Grund ist nicht genannt.',
  },
}

interface Stored {
  version: number
  change_reason: string | null
  created_at: string
  created_by: PersonShape | null
}

interface Props {
  label: string
  versions: readonly Stored[]
  current: number
  /** What a version changed of the one before it. */
  differences: (version: number) => ReactNode
}

/** All versions of a form or a template, the newest first: who stored each, when, why, and what it changed. */
export function StoredVersions({ label, versions, current, differences }: Props) {
  const w = catalogues[useLanguage()]
  return (
    <ol className={styles.versions} aria-label={label}>
      {versions.map(each => (
        <li key={each.version}>
          <Line of={each} isCurrent={each.version === current} words={w} differences={differences} />
        </li>
      ))}
    </ol>
  )
}

interface LineProps extends Pick<Props, 'differences'> {
  of: Stored
  isCurrent: boolean
  words: (typeof catalogues)['en']
}

function Line({ of: { version, change_reason, created_at, created_by }, isCurrent, words: w, differences }: LineProps) {
  const { moment } = useFormat()
  const [isOpen, setOpen] = useState(false)
  const isFirst = version === 1
  return (
    <>
      <p className={styles.head}>
        <b>{w.version(version)}</b>
        {isCurrent && <span className={styles.current}>{w.current}</span>}
        <span className="soft">
          {moment(created_at)} · {created_by ? nameOf(created_by) : w.system}
        </span>
      </p>
      <p className={change_reason ? '' : 'soft'}>{change_reason ?? (isFirst ? w.first : w.noReason)}</p>
      {!isFirst && (
        <>
          <Button
            look="quiet"
            aria-expanded={isOpen}
            icon={isOpen ? ChevronDown : ChevronRight}
            onPress={() => setOpen(!isOpen)}
          >
            {w.show(version)}
          </Button>
          {isOpen && <div className={styles.differences}>{differences(version)}</div>}
        </>
      )}
    </>
  )
}
