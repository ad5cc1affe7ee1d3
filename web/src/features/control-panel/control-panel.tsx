import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { speak, useLanguage } from '../../words/index.ts'
import { PanelBrand } from './brand.tsx'
import { ChecksPage } from './checks-page.tsx'
import styles from './control-panel.module.css'
import { FailedPage } from './failed-page.tsx'
import { InstallationPage } from './installation-page.tsx'
import { ServiceHealth } from './service-health.tsx'
import { type PageProps, type Session, SessionContext } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { TenantsPage } from './tenants-page.tsx'
import { usePanelWords } from './words.ts'

const pages = {
  health: ServiceHealth,
  tenants: TenantsPage,
  failed: FailedPage,
  checks: ChecksPage,
  installation: InstallationPage,
} satisfies Record<string, ComponentType<PageProps>>
type PageName = keyof typeof pages

/** What operators of the installation see, and nothing of what is in a tenant. */
export function ControlPanel() {
  const w = usePanelWords()
  const language = useLanguage()
  const client = useQueryClient()
  const [session, setSession] = useState<Session>()
  const [notice, setNotice] = useState<'signedOut' | 'ended'>()
  const [page, setPage] = useState<PageName>('health')

  const leave = (why: 'signedOut' | 'ended') => {
    setNotice(why)
    setSession(undefined)
    setPage('health')
    client.clear()
  }
  const toggle = (
    <Button look="quiet" onPress={() => speak(language === 'de' ? 'en' : 'de')}>
      <span lang={language === 'de' ? 'en' : 'de'}>{w.language}</span>
    </Button>
  )
  if (!session)
    return (
      <SignIn
        notice={notice && w[notice]}
        language={toggle}
        onSignedIn={signedIn => {
          setNotice(undefined)
          setSession(signedIn)
        }}
      />
    )
  const Page = pages[page]
  return (
    <SessionContext value={session}>
      <header className={styles.top}>
        <PanelBrand />
        <TabLinks label={w.nav}>
          {(Object.keys(pages) as PageName[]).map(name => (
            <li key={name}>
              <a
                href={`#${name}`}
                aria-current={name === page ? 'page' : undefined}
                onClick={event => {
                  event.preventDefault()
                  setPage(name)
                }}
              >
                {w.pages[name]}
              </a>
            </li>
          ))}
        </TabLinks>
        <div className={styles.who}>
          <span>
            <span className="visually-hidden">{w.signedInAs} </span>
            {session.user.username}
          </span>
          {toggle}
          <Button look="quiet" onPress={() => leave('signedOut')}>
            {w.signOut}
          </Button>
        </div>
      </header>
      <main className={styles.main}>
        <Page key={page} session={session} onSessionEnded={() => leave('ended')} />
      </main>
    </SessionContext>
  )
}
