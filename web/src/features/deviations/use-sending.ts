import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import { useIsOver } from '../session/session.ts'
import { type Body, isForgotten, type Phase } from './report.ts'
import type { usePhotos } from './use-photos.ts'
import type { useReport } from './use-report.ts'

type Stored = { id: number; number: string }

/** The service looked at it and does not take it as it is. */
const isRefusal = ({ status, isSessionOver, isPassing }: Problem) => !isPassing && !isSessionOver && status !== 429

/** What is known of a report that was sent and got this for an answer. */
function phaseAfter(problem: Problem): Phase {
  // A 409 says that the first request with this key is still in progress.
  if (problem.isPassing || problem.status === 409) return 'uncertain'
  return isRefusal(problem) ? 'writing' : 'waiting'
}

const first_ms = 5_000
const longest_ms = 60_000

/** A file that the service does not take, and why. */
export interface RefusedFile {
  id: string
  problem: Problem
}

/**
 * Sends a report as soon as it waits for that, and again until there is an answer: first its files, then the report with them, so that it
 * never stands without its evidence. Nothing is stored twice: the service stores a report with its key once, and erases files that no
 * record uses.
 */
export function useSending(
  { report, change, forget }: ReturnType<typeof useReport>,
  { files, isRead, drop }: ReturnType<typeof usePhotos>,
  onDone: (stored: Stored) => void,
) {
  const client = useQueryClient()
  const isOver = useIsOver()
  const [failures, setFailures] = useState(0)
  const [refusedFile, setRefusedFile] = useState<RefusedFile>()
  const isPosted = useRef(false)
  // A connection that comes back may be told at the same moment as the next try is due, before the page knows that it sends.
  const isSending = useRef(false)
  const { phase, key, body, uploads } = report

  /** What the service has already is not sent again. */
  async function sendFiles() {
    const sent = { ...uploads }
    for (const { id, file } of files) {
      if (sent[id] !== undefined) continue
      const form = new FormData()
      form.append('file', file)
      const { signal } = new AbortController()
      try {
        const stored = await upload('POST /api/uploads/', { body: form }, { signal, onProgress: () => undefined })
        sent[id] = stored.id
      } catch (error) {
        if (error instanceof Problem && isRefusal(error)) setRefusedFile({ id, problem: error })
        throw error
      }
      change({ uploads: { ...sent } })
    }
    return files.flatMap(({ id }) => sent[id] ?? [])
  }

  const { mutate, isPending, error } = useMutation<Stored, Problem, { body: Body; phase: Phase }>({
    async mutationFn(asked) {
      setRefusedFile(undefined)
      isPosted.current = asked.phase === 'uncertain'
      let whole = asked.body
      if (!isPosted.current) {
        const attachment_ids = await sendFiles()
        whole = { ...asked.body, ...(attachment_ids.length > 0 && { attachment_ids }) }
        // Whoever closes the page from now on cannot know whether it arrived.
        isPosted.current = true
        change({ phase: 'uncertain', body: whole, posted_at: report.posted_at ?? Date.now() })
      }
      return call('POST /api/deviations/', { body: whole }, undefined, key)
    },
    async onSuccess({ id, number }) {
      forget()
      await drop()
      onDone({ id, number })
      return refreshRecords(client)
    },
    onError: failure => {
      if (!failure.isSessionOver) setFailures(before => before + 1)
      const next = isPosted.current ? phaseAfter(failure) : isRefusal(failure) ? 'writing' : 'waiting'
      // The service keeps a file for a day: after that it is sent again.
      const uploadsAre = failure.of('attachment_ids') === undefined ? {} : { uploads: {} }
      change({ phase: next, ...uploadsAre })
    },
    onSettled: () => {
      isSending.current = false
    },
  })
  const send = (of: Body) => {
    if (isSending.current) return
    isSending.current = true
    mutate({ body: of, phase })
  }
  const latestSend = useEffectEvent(send)
  const isOld = isForgotten(report, Date.now())
  const isDue = phase !== 'writing' && body !== undefined && isRead && !isPending && !isOver && !isOld
  useEffect(() => {
    if (!isDue || !body) return
    const onOnline = () => latestSend(body)
    addEventListener('online', onOnline)
    const wait_ms = failures === 0 ? 0 : Math.min(first_ms * 2 ** (failures - 1), longest_ms)
    const timer = setTimeout(() => navigator.onLine && latestSend(body), wait_ms)
    return () => {
      removeEventListener('online', onOnline)
      clearTimeout(timer)
    }
  }, [isDue, body, failures])
  return {
    isPending,
    /** Why the report itself was not taken. */
    error: refusedFile ? null : error,
    refusedFile,
    isOld,
    sendNow: () => body && send(body),
  }
}
