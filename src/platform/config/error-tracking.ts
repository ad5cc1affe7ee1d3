import type { Variables } from './variables.ts'

export interface ErrorTrackerConfig {
  dsn: string
  traces_sample_rate: number
}

const workingDsn = /^https?:\/\/\w+(:\w*)?@(\[[:.\da-f]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.-]+)*\/\d+$/i

export function readErrorTracker({ text, share, wrong }: Variables): ErrorTrackerConfig | undefined {
  const dsn = text('ERRORTRACKER_DSN')
  // With a wrong value the client would only log that it sends nothing. The line does not repeat the value, which holds a key.
  if (dsn && !(URL.canParse(dsn) && workingDsn.test(dsn)))
    wrong.push('ERRORTRACKER_DSN is not a DSN such as https://KEY@tracker.example/1')
  const traces_sample_rate = share('ERRORTRACKER_TRACES_SAMPLE_RATE', 0.1)
  return dsn ? { dsn, traces_sample_rate } : undefined
}
