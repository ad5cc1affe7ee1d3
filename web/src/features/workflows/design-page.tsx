import type { ReactNode } from 'react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { paths } from '../../app/paths.ts'
import { RecordHead } from '../../records/record-head.tsx'
import record from '../../records/record-page.module.css'
import { differencesInWords, namesOfBoth } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useMe } from '../session/session.ts'
import type { Template } from './choices.ts'
import { Designer } from './designer.tsx'
import { tabs, type WorkflowTab } from './search.ts'
import { StoreDialog } from './store-dialog.tsx'
import { TryOut } from './try-out.tsx'
import { useCheck } from './use-check.ts'
import type { Designing } from './use-design.ts'
import { Versions } from './versions.tsx'
import { useDesignerWords } from './words.ts'
import styles from './workflow-page.module.css'

interface Props {
  designing: Designing
  /** Undefined for one that is not stored yet. */
  template: Template | undefined
  title: string
  tab?: WorkflowTab
  onTab?: (tab: WorkflowTab) => void
  state?: ReactNode
  actions?: ReactNode
  notes?: ReactNode
  onStored?: (id: number) => void
  onProposed?: () => void
  onDiscard?: () => void
}

/** A workflow that is looked at, changed, tried and put into force. */
export function DesignPage({ designing, template, title, state, actions, notes, ...on }: Props) {
  const w = useDesignerWords()
  const { permissions } = useMe()
  const [ownTab, setOwnTab] = useState<WorkflowTab>('design')
  const [isStoring, setStoring] = useState(false)
  const { tab = ownTab, onTab = setOwnTab } = on
  const { design, isTyped } = designing
  const isReadOnly = !permissions.includes('workflow_templates.manage') || template?.is_builtin === true
  const check = useCheck(design, template?.id, !isReadOnly)
  const names = namesOfBoth(
    template?.names ?? design.names,
    namesOfBoth(check.answer?.names ?? design.names, design.names),
  )
  const isNew = template === undefined
  const isChanged = isNew || isTyped
  const shown = isReadOnly && template ? { ...designing, design: { ...design, ...template } } : designing
  return (
    <div className={record.page}>
      <RecordHead
        list={paths.workflows}
        back={w.title}
        title={title}
        actions={actions}
        areActionsWide
        state={state ?? <span className="soft">{w.copied}</span>}
      >
        {notes}
        {template && isTyped && !isReadOnly && <Stale designing={designing} template={template} />}
      </RecordHead>
      {!isReadOnly && isChanged && (
        <div className={styles.store} data-print="none">
          <span className="soft">{isNew ? w.newKept : w.draftKept}</span>
          <span className="row">
            <Button
              onPress={() => {
                designing.forget()
                announce(w.discarded)
                on.onDiscard?.()
              }}
            >
              {w.discard}
            </Button>
            <Button look="main" onPress={() => setStoring(true)}>
              {w.store}
            </Button>
          </span>
        </div>
      )}
      <Tabs
        className={record.tabs!}
        selectedKey={tab}
        onSelectionChange={key => onTab(tabs.find(each => each === key) ?? 'design')}
      >
        <TabList aria-label={w.tabsLabel} className={record.list!} data-print="none">
          <Tab id="design">{w.tabs.design}</Tab>
          <Tab id="try">{w.tabs.try}</Tab>
          {template && <Tab id="versions">{w.tabs.versions}</Tab>}
        </TabList>
        <TabPanel id="design" className={record.panel!}>
          {template?.description && isReadOnly && <p className={styles.description}>{template.description}</p>}
          <Designer designing={shown} check={check} names={names} isReadOnly={isReadOnly} />
        </TabPanel>
        <TabPanel id="try" className={record.panel!}>
          <TryOut design={shown.design} names={names} template={template} isDraft={!isReadOnly && isChanged} />
        </TabPanel>
        {template && (
          <TabPanel id="versions" className={record.panel!}>
            <Versions template={template} />
          </TabPanel>
        )}
      </Tabs>
      {isStoring && (
        <StoreDialog
          designing={designing}
          template={template}
          check={check}
          names={names}
          onStored={id => on.onStored?.(id)}
          onProposed={() => on.onProposed?.()}
          onClose={() => setStoring(false)}
        />
      )}
    </div>
  )
}

/** Somebody else was quicker: what is designed here began from another version. */
function Stale({ designing, template }: { designing: Designing; template: Template }) {
  const w = useDesignerWords()
  const sentences = useWorkflowSentences()
  const { design, rebase } = designing
  const [isCompared, setCompared] = useState(false)
  if (design.revision === template.revision) return null
  const names = namesOfBoth(template.names, design.names)
  const differences = differencesInWords(template.definition, design.definition, names, sentences)
  return (
    <div className={styles.stale} role="alert">
      <p>{w.stale(template.updated_by ? nameOf(template.updated_by) : '')}</p>
      {isCompared && (
        <ul>
          {(differences.length > 0 ? differences : [sentences.differences.none]).map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <p className="row">
        {!isCompared && <Button onPress={() => setCompared(true)}>{w.staleCompare}</Button>}
        <Button onPress={() => rebase(template.revision)}>{w.staleKeep}</Button>
      </p>
    </div>
  )
}
