// A thread that reads one text and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { lexMarkdown } from './lex.ts'

parentPort!.postMessage((workerData as string[]).map(lexMarkdown))
