import { useNavigate } from '@tanstack/react-router'
import { Archive, Ellipsis, History, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { addressOf } from '../../api/client.ts'
import { useMe } from '../../features/session/session.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { save } from '../../ui/save.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { AsOfDialog } from '../as-of.tsx'
import styles from '../record-page.module.css'
import type { CaseKind } from './case.ts'
import { useCaseWords } from './words.ts'

/** What an auditor does with a record: see it as it was, its audit trail, and its dossier. */
export function CaseMenu({ kind, id }: { kind: CaseKind; id: number }) {
  const acts = useActWords()
  const cases = useCaseWords()
  const { common, reading, trail } = useWords()
  const { permissions } = useMe()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  if (!permissions.includes('audit.read')) return null
  const record = kind === 'capa' ? 'capa' : 'deviation'
  return (
    <span data-print="none">
      <Menu
        label={common.more}
        trigger={
          <AriaButton className={styles.more!} aria-label={common.more}>
            <Ellipsis size={17} aria-hidden="true" />
          </AriaButton>
        }
      >
        <MenuItem icon={History} name={reading.asOfMenu} onAction={() => setAsking(true)} />
        <MenuItem
          icon={ScrollText}
          name={trail.ofRecord}
          onAction={() => void navigate({ to: '/audit', search: { record, id } })}
        />
        <MenuItem
          icon={Archive}
          name={acts.dossier}
          onAction={() => save(addressOf(`GET /api/${kind}/{id}/dossier`, { path: { id } }))}
        />
      </Menu>
      {isAsking && (
        <AsOfDialog
          title={cases.asOfTitle}
          hint={cases.asOfHint}
          onShow={as_of => void navigate({ to: `/${kind}/$id`, params: { id }, search: { as_of } })}
          onClose={() => setAsking(false)}
        />
      )}
    </span>
  )
}
