import type { MakePdf } from '#platform/pdf/rendition.ts'
import { NotPages } from '#platform/pdf/thread.ts'

/**
 * Makes the same PDFs in this process: a thread of its own for each loads the libraries anew, which takes longer than most PDFs.
 * That a file that was made to do harm fails alone is proved with threads, in pdf.test.ts.
 */
export const makePdfHere: MakePdf = async job => {
  const { makePdf } = await import('#platform/pdf/make.ts')
  try {
    return await makePdf(structuredClone(job))
  } catch (error) {
    throw new NotPages('it could not be read', { cause: error })
  }
}
