import { useNavigate, useSearch } from '@tanstack/react-router'
import { PowerOff } from 'lucide-react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import record from '../../records/record-page.module.css'
import { Empty } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useMe } from '../session/session.ts'
import { Ask } from './ask.tsx'
import styles from './assistant.module.css'
import { Examine } from './examine.tsx'
import { assistantSearch } from './search.ts'
import { Source } from './source.tsx'
import type { Citation } from './use-answer.ts'
import { useAssistantWords } from './words.ts'
import { Write } from './write.tsx'

/** What do our documents say about …? */
export function AssistantPage() {
  const w = useAssistantWords()
  const { features } = useMe()
  const { tab = 'ask' } = useSearch({ from: '/app/assistant' })
  const navigate = useNavigate({ from: '/assistant' })
  const [source, setSource] = useState<Citation>()
  useTitle(w.title)
  if (!features.assistant)
    return (
      <Empty icon={PowerOff} title={w.off}>
        <p>{w.offHint}</p>
      </Empty>
    )
  return (
    <div className={styles.page} data-beside={source !== undefined}>
      <div className={styles.main}>
        <h1>{w.title}</h1>
        <p className="soft">{w.about}</p>
        <Tabs
          className={record.tabs!}
          selectedKey={tab}
          onSelectionChange={next => void navigate({ search: assistantSearch({ tab: next }), replace: true })}
        >
          <TabList aria-label={w.title} className={record.list!}>
            <Tab id="ask">{w.tabs.ask}</Tab>
            <Tab id="examine">{w.tabs.examine}</Tab>
            <Tab id="write">{w.tabs.write}</Tab>
          </TabList>
          {/* What was answered stays while another tab is looked at. */}
          <TabPanel id="ask" className={styles.panel!} shouldForceMount>
            <Ask onSource={setSource} />
          </TabPanel>
          <TabPanel id="examine" className={styles.panel!} shouldForceMount>
            <Examine onSource={setSource} />
          </TabPanel>
          <TabPanel id="write" className={styles.panel!} shouldForceMount>
            <Write onSource={setSource} />
          </TabPanel>
        </Tabs>
      </div>
      {source && <Source of={source} onClose={() => setSource(undefined)} />}
    </div>
  )
}
