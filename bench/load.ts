// The load of one measurement, in a process of its own so that it takes no time from the server's. Its argument says what to
// ask, as JSON; it prints what autocannon found.
import autocannon from 'autocannon'

interface Load {
  url: string
  connections: number
  seconds: number
  requests: { method: 'GET' | 'PUT'; path: string; headers: Record<string, string>; body?: string }[]
}

const { url, connections, seconds, requests }: Load = JSON.parse(process.argv[2]!)
const { requests: rate, latency, non2xx, errors } = await autocannon({ url, connections, duration: seconds, requests })
console.log(
  JSON.stringify({ per_second: rate.average, p50_ms: latency.p50, p97_ms: latency.p97_5, failed: non2xx + errors }),
)
