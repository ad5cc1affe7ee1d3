// Reads a CSV in a thread of its own: 100,000 rows take two seconds, in which the service would answer nobody.
import { parentPort } from 'node:worker_threads'
import { AppError, messageOf } from '#kernel/errors.ts'
import { readCsv } from '#platform/csv-reader.ts'
import { limits } from '#platform/text-extraction/limits.ts'

const read = (text: string) => {
  try {
    return { records: readCsv(text, 'file', limits.most_rows + 2) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, params, text } = messageOf(error)
    return { refused: { code, params, text } }
  }
}
parentPort!.once('message', (text: string) => parentPort!.postMessage(read(text)))
