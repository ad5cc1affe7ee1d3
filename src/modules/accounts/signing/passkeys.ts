import type { Writing } from '#action'

declare module '#action/definitions.ts' {
  interface Services {
    passkeys: {
      /** Whoever resets a password could have registered a passkey before: a reset leaves none. */
      revokeAll(writing: Writing, userId: number, by: { at: Date; by: number | null }): Promise<void>
    }
  }
}
