import { useCallback, useEffect, useRef, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { type AnswerOf, call } from './client.ts'

export type Report = AnswerOf<'GET /api/status'>

/** HLTH-06. */
const refresh_seconds = 30

interface Good {
  report: Report
  /** By this page's own clock, which need not be right: only differences of it are used. */
  received_at: number
}

/** The report, asked for again every 30 seconds for as long as it may be read. The last good one is kept when a refresh fails. */
export function useReport(token: string) {
  const [good, setGood] = useState<Good>()
  const [failure, setFailure] = useState<Problem>()
  const [isRefreshing, setRefreshing] = useState(false)
  const [next_at, setNextAt] = useState(() => performance.now())
  const isUnderWay = useRef(false)

  const refresh = useCallback(async () => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setRefreshing(true)
    try {
      const report = await call('GET /api/status', { token })
      setGood({ report, received_at: performance.now() })
      setFailure(undefined)
    } catch (error) {
      setFailure(error instanceof Problem ? error : new Problem(500, undefined))
    } finally {
      isUnderWay.current = false
      setRefreshing(false)
      setNextAt(performance.now() + refresh_seconds * 1000)
    }
  }, [token])

  // Each refused request is an entry of the audit trail, so the page does not repeat it.
  const isRefused = failure?.status === 401 || failure?.status === 403
  const now = useNow()
  // The clock of the page is up to a second older than the last refresh.
  const left_seconds = Math.min(refresh_seconds, Math.max(0, Math.ceil((next_at - now) / 1000)))
  useEffect(() => {
    if (left_seconds === 0 && !isRefused) void refresh()
  }, [left_seconds, isRefused, refresh])

  return { good, failure, isRefreshing, left_seconds, now, refresh }
}

/** The page's own clock, in milliseconds, new each second; at once after the page was out of sight. */
function useNow() {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const tick = () => setNow(performance.now())
    const timer = setInterval(tick, 1000)
    document.addEventListener('visibilitychange', tick)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', tick)
    }
  }, [])
  return now
}
