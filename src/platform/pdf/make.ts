import { readFileSync } from 'node:fs'
import { AFRelationship, ParseSpeeds, PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib'
import { bytesOfFont, hasNumbers, openedFonts } from './fonts.ts'
import type { Block, MadePdf, PdfInfo, PdfJob } from './job.ts'
import { writeBlocks, writePicture, writeSheets, writeText } from './sheets.ts'
import { stampPages } from './stamp.ts'

/** Throws the libraries' errors on an invalid file. */
export async function makePdf({ source, stamp, attachment, info, numbers, ...job }: PdfJob): Promise<MadePdf> {
  const sheets = source.kind === 'sheets' ? job.sheets : explained(job.sheets, stamp, numbers)
  const pdf = await PDFDocument.load(await pagesOf(source, { stamp, numbers }, info), {
    parseSpeed: ParseSpeeds.Fastest,
    // Many files are locked only against changes, and a reader of the record may have a stamped copy.
    password: '',
    updateMetadata: false,
    throwOnInvalidObject: false,
  })
  if (source.kind === 'pdf' && pdf.getPageCount() === 0) throw new Error('a PDF without a page')
  if (sheets) {
    const more = await PDFDocument.load(await writeSheets(info.created_at, on => writeBlocks(on, sheets)))
    for (const page of await pdf.copyPages(more, more.getPageIndices())) pdf.addPage(page)
  }
  if (source.kind === 'pdf') disarm(pdf)
  if (stamp) {
    pdf.registerFontkit(openedFonts as never)
    const [regular, bold] = [
      await pdf.embedFont(bytesOfFont('regular'), { subset: true }),
      await pdf.embedFont(bytesOfFont('bold'), { subset: true }),
    ]
    stampPages(pdf, { regular, bold }, stamp)
  }
  if (attachment) {
    const { path, name, content_type, description } = attachment
    await pdf.attach(readFileSync(path), name, {
      mimeType: content_type,
      description,
      afRelationship: AFRelationship.Source,
      creationDate: new Date(info.created_at),
      modificationDate: new Date(info.created_at),
    })
  }
  describe(pdf, info)
  return { bytes: await pdf.save(), pages: pdf.getPageCount() }
}

const englishNumbers = 'A number such as <U+738B> stands for a character that the font of this page does not have.'

/** Adds an explanation to the last page if a character is printed as its number. */
function explained<B extends Block[] | undefined>(sheets: B, others: unknown, numbers = englishNumbers): B | Block[] {
  if (!hasNumbers(JSON.stringify([sheets, others]))) return sheets
  return [...(sheets ?? []), { kind: 'note', text: numbers }]
}

function pagesOf(
  source: PdfJob['source'],
  { stamp, numbers }: { stamp: PdfJob['stamp'] | undefined; numbers: string | undefined },
  { created_at }: PdfInfo,
): Promise<Uint8Array> | Uint8Array {
  if (source.kind === 'pdf') return readFileSync(source.path)
  if (source.kind === 'sheets')
    return writeSheets(
      created_at,
      pdf => writeBlocks(pdf, explained(source.blocks, [stamp, source.bands], numbers)),
      source.bands,
    )
  return writeSheets(created_at, pdf => {
    if (source.kind === 'text') writeText(pdf, source.path)
    else writePicture(pdf, source.path)
  })
}

/** Removes everything that runs when the copy is opened, and the signatures of the original, which do not hold for the copy. */
function disarm({ catalog }: PDFDocument) {
  for (const name of ['OpenAction', 'AA', 'Perms', 'Collection', 'Requirements']) catalog.delete(PDFName.of(name))
  for (const [holder, name] of [
    ['Names', 'JavaScript'],
    ['AcroForm', 'XFA'],
    ['AcroForm', 'SigFlags'],
  ] as const) {
    const dict = catalog.lookup(PDFName.of(holder))
    if (dict instanceof PDFDict) dict.delete(PDFName.of(name))
  }
}

function describe(pdf: PDFDocument, { title, subject, author, keywords = [], created_at }: PdfInfo) {
  pdf.setTitle(title, { showInWindowTitleBar: true })
  pdf.setSubject(subject)
  pdf.setAuthor(author)
  pdf.setKeywords(keywords)
  pdf.setProducer('Attest')
  pdf.setCreator('Attest')
  pdf.setCreationDate(new Date(created_at))
  pdf.setModificationDate(new Date(created_at))
}
