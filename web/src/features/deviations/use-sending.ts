import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import type { KeptFile } from '../../ui/draft-files.ts'
import { useIsOver } from '../session/session.ts'
import type { Body } from './report.ts'
import type { usePhotos } from './use-photos.ts'
import type { Phase, useReport } from './use-report.ts'

type Stored = { id: number; number: string }

const digestOf = async (file: File) =>
  Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

/** What has arrived already is known by its content, and is not sent again. */
async function attach({ id }: Stored, files: KeptFile[], onAttached: (id: string) => Promise<void>) {
  if (files.length === 0) return
  const { items } = await call('GET /api/deviations/{id}/attachments', { path: { id }, query: { page_size: 100 } })
  const arrived = new Set(items.map(({ file }) => file.sha256))
  for (const { id: kept, file } of files) {
    if (!arrived.has(await digestOf(file))) {
      const body = new FormData()
      body.append('file', file)
      const { signal } = new AbortController()
      await upload(
        'POST /api/deviations/{id}/attachments',
        { path: { id }, body },
        { signal, onProgress: () => undefined },
      )
    }
    await onAttached(kept)
  }
}

/** What is known of a report that was sent and got this for an answer. */
function phaseAfter({ status, isSessionOver, isPassing }: Problem): Phase {
  // A 409 says that the first request with this key is still in progress.
  if (isPassing || status === 409) return 'uncertain'
  return isSessionOver || status === 429 ? 'waiting' : 'writing'
}

const first_ms = 5_000
const longest_ms = 60_000

interface Sending {
  body: Body
  stored: Stored | undefined
}

/**
 * Sends a report as soon as it waits for that, and again until there is an answer. Nothing is sent twice: the service stores a report with
 * its key once, and a file that has arrived is known by its content.
 */
export function useSending(
  { report, change, forget }: ReturnType<typeof useReport>,
  { files, isRead, remove }: ReturnType<typeof usePhotos>,
  onDone: (stored: Stored) => void,
) {
  const client = useQueryClient()
  const isOver = useIsOver()
  const [failures, setFailures] = useState(0)
  const isStored = useRef(false)
  const { phase, key, body, stored } = report
  const finish = (done: Stored) => {
    forget()
    onDone(done)
    return refreshRecords(client)
  }
  const { mutate, isPending, error } = useMutation<Stored, Problem, Sending>({
    async mutationFn(sent) {
      isStored.current = sent.stored !== undefined
      // Whoever closes the page now cannot know whether it arrived.
      if (!sent.stored) change({ phase: 'uncertain' })
      const { id, number } = sent.stored ?? (await call('POST /api/deviations/', { body: sent.body }, undefined, key))
      isStored.current = true
      change({ phase: 'stored', stored: { id, number } })
      await attach({ id, number }, files, remove)
      return { id, number }
    },
    onSuccess: finish,
    onError: failure => {
      if (failure.isPassing) setFailures(before => before + 1)
      if (!isStored.current) change({ phase: phaseAfter(failure) })
    },
  })
  // A file that the service does not take: it would not take it the next time either.
  const refusedFile = phase === 'stored' && error && !error.isPassing && !error.isSessionOver ? error : undefined
  const isDue = phase !== 'writing' && body !== undefined && isRead && !isPending && !isOver && !refusedFile
  useEffect(() => {
    if (!isDue || !body) return
    const send = () => mutate({ body, stored })
    addEventListener('online', send)
    const wait_ms = failures === 0 ? 0 : Math.min(first_ms * 2 ** (failures - 1), longest_ms)
    const timer = setTimeout(() => navigator.onLine && send(), wait_ms)
    return () => {
      removeEventListener('online', send)
      clearTimeout(timer)
    }
  }, [isDue, body, stored, failures, mutate])
  return {
    isPending,
    error,
    refusedFile,
    sendNow: () => body && !isPending && mutate({ body, stored }),
    /** The record is stored, and the files that were refused stay behind. */
    finishWithout: () => stored && void finish(stored),
  }
}
