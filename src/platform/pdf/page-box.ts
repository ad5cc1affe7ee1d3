import { PDFArray, PDFName, PDFNumber, type PDFPage } from '@cantoo/pdf-lib'

/** A rectangle of a page in its own coordinates, which may begin anywhere. */
export interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

const a4: Box = { left: 0, bottom: 0, right: 595.28, top: 841.89 }
/** The largest page that PDF readers show (ISO 32000-1, C.2). */
const maxSide = 14_400

/** The visible part of a page: its crop box within its media box. An A4 sheet for a page with invalid boxes. */
export function visibleBox(page: PDFPage): Box {
  const media = boxOf(page, 'MediaBox') ?? a4
  const crop = boxOf(page, 'CropBox') ?? media
  const both: Box = {
    left: Math.max(media.left, crop.left),
    bottom: Math.max(media.bottom, crop.bottom),
    right: Math.min(media.right, crop.right),
    top: Math.min(media.top, crop.top),
  }
  return isBox(both) ? both : media
}

function boxOf({ node }: PDFPage, name: 'MediaBox' | 'CropBox'): Box | undefined {
  const array = node.context.lookup(node.getInheritableAttribute(PDFName.of(name)))
  if (!(array instanceof PDFArray) || array.size() !== 4) return
  const [a, b, c, d] = [0, 1, 2, 3].map(at => {
    const value = array.lookup(at)
    return value instanceof PDFNumber ? value.asNumber() : Number.NaN
  }) as [number, number, number, number]
  const box: Box = { left: Math.min(a, c), bottom: Math.min(b, d), right: Math.max(a, c), top: Math.max(b, d) }
  return isBox(box) ? box : undefined
}

function isBox({ left, bottom, right, top }: Box) {
  const sides = [right - left, top - bottom]
  return sides.every(side => side > 0 && side <= maxSide)
}
