import { say } from '../command.ts'
import { inUnits } from '../units.ts'
import { lines } from './messages.ts'

const intervalMs = 2_000

/** Prints the progress every two seconds. */
export function openProgress(total: { files: number; bytes: number }) {
  const done = { files: 0, bytes: 0 }
  const begun = performance.now()
  let printed = begun
  return {
    add(bytes: number) {
      done.files += 1
      done.bytes += bytes
      if (performance.now() - printed < intervalMs) return
      printed = performance.now()
      const per_second = done.bytes / ((printed - begun) / 1000)
      const rest_s = Math.round((total.bytes - done.bytes) / Math.max(per_second, 1))
      say(
        lines.storage_progress({
          files: done.files,
          of: total.files,
          size: inUnits(done.bytes),
          of_size: inUnits(total.bytes),
          speed: inUnits(Math.round(per_second)),
          time_left: inTime(rest_s),
        }),
      )
    },
  }
}

const inTime = (seconds: number) =>
  seconds < 90
    ? `${seconds} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`
