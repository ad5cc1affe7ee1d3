// The only place where our pages make a worker: under Trusted Types its address must come from a policy, and the policy knows these alone.
// oxlint-disable-next-line import/default -- the address of a file, which Vite makes
import pdfUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
// oxlint-disable-next-line import/default -- the address of a file, which Vite makes
import compareUrl from '../features/documents/compare-worker.ts?worker&url'

const addresses = { pdf: pdfUrl, compare: compareUrl }

const policy = window.trustedTypes?.createPolicy('attest', {
  createScriptURL(url) {
    if (!Object.values(addresses).includes(url)) throw new TypeError(`no script of ours: ${url}`)
    return url
  },
})

export function startWorker(name: keyof typeof addresses): Worker {
  const url = addresses[name]
  return new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module' })
}
