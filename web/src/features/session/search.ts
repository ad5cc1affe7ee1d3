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
