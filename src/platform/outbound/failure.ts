/** Why a request was not sent, or has no answer. It never names the address that was found: tenants must not map our network by it. */
export const outboundFailures = [
  'refused',
  'no_address',
  'not_public',
  'timeout',
  'tls',
  'unreachable',
  'too_large',
] as const
export type OutboundFailure = (typeof outboundFailures)[number]

export class OutboundError extends Error {
  readonly failure: OutboundFailure
  constructor(failure: OutboundFailure) {
    super(`the request to an address outside failed: ${failure}`)
    this.failure = failure
  }
}
