import { useState } from 'react'
import { Brand } from './brand.tsx'
import { ServiceHealth } from './service-health.tsx'
import type { Session } from './session.ts'
import { SignIn } from './sign-in.tsx'

export function ControlPanel() {
  const [session, setSession] = useState<Session>()
  const [notice, setNotice] = useState<string>()

  if (!session)
    return (
      <SignIn
        notice={notice}
        onSignedIn={signedIn => {
          setNotice(undefined)
          setSession(signedIn)
        }}
      />
    )
  const leave = (why?: string) => {
    setNotice(why)
    setSession(undefined)
  }
  return (
    <>
      <header className="top">
        <div className="top-inner">
          <Brand />
          <nav aria-label="Control panel">
            <ol className="trail">
              <li>Infrastructure</li>
              <li>
                <a href="#main" aria-current="page">
                  Service health
                </a>
              </li>
            </ol>
          </nav>
          <div className="who">
            <span className="who-name">
              <span className="unseen">Signed in as </span>
              {session.user.username}
            </span>
            <button type="button" className="quiet" onClick={() => leave('You are signed out.')}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="main" className="page" tabIndex={-1}>
        <ServiceHealth
          session={session}
          onSessionEnded={() => leave('Your session has ended. Sign in again to go on.')}
        />
      </main>
    </>
  )
}
