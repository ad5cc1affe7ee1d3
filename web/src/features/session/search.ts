const errors = ['not_linked', 'not_begun_here', 'provider_unavailable', 'refused'] as const

export interface SignInSearch {
  /** The page that was asked for. */
  to?: string
  /** Why a log-in at a provider let nobody in (docs/sign-in.md), and where the audit trail says more. */
  error?: (typeof errors)[number]
  reference?: string
}

/** An address within this application alone: never where a link from elsewhere would like one to land. */
const isOwnPage = (to: unknown): to is string =>
  typeof to === 'string' && /^\/(?![/\\])/.test(to) && !/[\t\r\n]/.test(to)

export function signInSearch({ to, error, reference }: Record<string, unknown>): SignInSearch {
  return {
    ...(isOwnPage(to) && { to }),
    ...(error !== undefined && { error: errors.find(each => each === error) ?? 'refused' }),
    ...(typeof reference === 'string' && /^[\w-]{1,64}$/.test(reference) && { reference }),
  }
}

export type WelcomeSearch = Pick<SignInSearch, 'to'>
export const welcomeSearch = ({ to }: Record<string, unknown>): WelcomeSearch => (isOwnPage(to) ? { to } : {})

const outcomes = ['proved', 'refused', 'not_begun_here'] as const

export interface SigningSearch {
  /** How a signature by the provider went there. */
  outcome?: (typeof outcomes)[number]
  reference?: string
}

export function signingSearch({
  single_sign_on,
  outcome = single_sign_on,
  reference,
}: Record<string, unknown>): SigningSearch {
  const { reference: kept } = signInSearch({ reference })
  const found = outcomes.find(each => each === outcome)
  return { ...(found && { outcome: found }), ...(kept && { reference: kept }) }
}

/** Enough of an e-mail address to ask how the people of its domain log in. */
export const isAddress = (text: string) => /^[^@\s]+@[^@\s]+\.[^@\s.]{2,}$/.test(text)
