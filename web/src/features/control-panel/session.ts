import { createContext, useContext } from 'react'
import type { AnswerOf } from './client.ts'

/**
 * In the memory of this page alone: a reload signs out, and nothing of it is left on the machine. Who operates an installation
 * signs in for a look or leaves the page open, and it refreshes itself.
 */
export type Session = AnswerOf<'POST /api/auth/token'>

/** Of each page: who is signed in, and what leads back to the sign-in. */
export interface PageProps {
  session: Session
  onSessionEnded: () => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** Within the pages, where somebody is signed in. */
export const useToken = () => useContext(SessionContext)!.access_token
