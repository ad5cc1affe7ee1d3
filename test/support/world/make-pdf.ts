import type { MakePdf } from '#platform/pdf/rendition.ts'
import { NotPages } from '#platform/pdf/thread.ts'

/**
 * Makes the same PDFs in this process: a thread of its own for each loads the libraries anew, which takes longer than most PDFs.
 * pdf.test.ts proves with threads that a malicious file fails alone.
 */
export const makePdfHere: MakePdf = async job => {
  const { makePdf } = await import('#platform/pdf/make.ts')
  try {
    return await makePdf(structuredClone(job))
  } catch (error) {
    throw new NotPages('it could not be read', { cause: error })
  }
}
