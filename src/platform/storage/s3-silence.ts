import type { S3Client } from '@aws-sdk/client-s3'

/** A second try replaces a connection that died unnoticed. A third would have people wait for a store that is silent. */
const maxSilences = 2

/** The library knows it neither by its name nor by a cause, and so does not try again. */
class SilentStore extends Error {
  override readonly name = 'SilentStore'
}

/** The library names its own time limits so, and connections that were cut, which say that somebody is there. */
const isTimeout = (error: unknown) => {
  const { name, code } = error as NodeJS.ErrnoException
  return name === 'TimeoutError' && code !== 'ECONNRESET' && code !== 'EPIPE'
}

export const isSilence = (error: unknown) => error instanceof SilentStore || isTimeout(error)

/** Has a client ask a silent store no oftener than that, whatever it repeats otherwise. */
export function giveUpSilence(client: S3Client): void {
  client.middlewareStack.add(
    next => {
      let silences = 0
      return async args => {
        try {
          return await next(args)
        } catch (error) {
          if (!isTimeout(error) || ++silences < maxSilences) throw error
          throw new SilentStore((error as Error).message)
        }
      }
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
}
