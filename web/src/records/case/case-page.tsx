import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import styles from '../record-page.module.css'
import type { Case } from './case.ts'
import type { CaseTab } from './case-search.ts'
import { Comments, commentsOn } from './comments.tsx'
import { History, Timeline } from './timeline.tsx'
import { useCaseWords } from './words.ts'

interface Props {
  of: Case
  tab: CaseTab
  onTab: (tab: CaseTab) => void
  head: ReactNode
  /** The record itself. */
  children: ReactNode
  /** Beside it: what is missing, people, links. */
  side: ReactNode
}

/** The page of a deviation or a CAPA: the record, and what was said and done about it. */
export function CasePage({ of: record, tab, onTab, head, children, side }: Props) {
  const w = useCaseWords()
  const { data } = useQuery(commentsOn(record.kind, record.id))
  const comments = data?.length ?? 0
  return (
    <div className={styles.page}>
      {head}
      <div className={styles.columns}>
        <Tabs className={styles.tabs!} selectedKey={tab} onSelectionChange={key => onTab(key as CaseTab)}>
          <TabList aria-label={record.number} className={styles.list!} data-print="none">
            <Tab id="record">{w.tabs.record}</Tab>
            <Tab id="comments">
              {w.tabs.comments} {comments > 0 && <span className={styles.quiet}>{comments}</span>}
            </Tab>
            <Tab id="timeline">{w.tabs.timeline}</Tab>
            <Tab id="history">{w.tabs.history}</Tab>
          </TabList>
          <TabPanel id="record" className={styles.panel!}>
            {children}
          </TabPanel>
          <TabPanel id="comments" className={styles.panel!}>
            <Comments of={record} />
          </TabPanel>
          <TabPanel id="timeline" className={styles.panel!}>
            <Timeline kind={record.kind} id={record.id} />
          </TabPanel>
          <TabPanel id="history" className={styles.panel!}>
            <History kind={record.kind} id={record.id} />
          </TabPanel>
        </Tabs>
        <div className={styles.side}>{side}</div>
      </div>
    </div>
  )
}
