import type { Variables } from './variables.ts'

export interface ErrorTrackerConfig {
  dsn: string
  traces_sample_rate: number
}

const workingDsn = /^https?:\/\/\w+(:\w*)?@(\[[:.\da-f]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.-]+)*\/\d+$/i

export function readErrorTracker({ text, share, wrong }: Variables): ErrorTrackerConfig | undefined {
  const dsn = text('ERRORTRACKER_DSN')
  // The client would only log that it sends nothing. The value holds a key, so the line does not repeat it.
  if (dsn && !(URL.canParse(dsn) && workingDsn.test(dsn)))
    wrong.push('ERRORTRACKER_DSN is not a DSN such as https://KEY@tracker.example/1')
  const traces_sample_rate = share('ERRORTRACKER_TRACES_SAMPLE_RATE', 0.1)
  return dsn ? { dsn, traces_sample_rate } : undefined
}
