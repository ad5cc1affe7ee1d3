// A thread that reads one text and ends.
import { parentPort } from 'node:worker_threads'
import { lexMarkdown } from './lex.ts'

parentPort!.once('message', (texts: string[]) => parentPort!.postMessage(texts.map(lexMarkdown)))
