import { textOf } from '../../../app/addresses.ts'

/** How a test ended: the provider sends the browser back here with it. */
export interface ProviderSearch {
  single_sign_on?: string | undefined
}

export function providerSearch({ single_sign_on }: Record<string, unknown>): ProviderSearch {
  const outcome = textOf(single_sign_on)
  return /^[a-z_]{1,40}$/.test(outcome) ? { single_sign_on: outcome } : {}
}
