import { Archive, Download, FileSpreadsheet, FileText } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { save } from '../../ui/save.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useWhyNot } from '../session/session.ts'
import { type AuditSearch, filtersOf } from './search.ts'

const icons = { csv: FileSpreadsheet, pdf: FileText, bundle: Archive }
/** The service refuses a PDF of more. */
const mostInPdf = 10_000

/** The entries as they are narrowed, not only those of the page in sight. */
export function ExportEntries({ search, total }: { search: AuditSearch; total: number | undefined }) {
  const { audit: w } = useEvidenceWords()
  const { locale } = useFormat()
  const whyNot = useWhyNot('audit.export')
  if (!total) return null
  if (whyNot !== undefined)
    return (
      <Button icon={Download} whyNot={whyNot}>
        {w.export}
      </Button>
    )
  return (
    <Menu label={w.export} trigger={<Button icon={Download}>{w.export}</Button>}>
      {(['csv', 'pdf', 'bundle'] as const).map(format => {
        const Icon = icons[format]
        return (
          <MenuItem
            key={format}
            icon={Icon}
            name={w.exportAs[format]}
            whyNot={format === 'pdf' && total > mostInPdf ? w.pdfTooMany(mostInPdf.toLocaleString(locale)) : undefined}
            onAction={() => save(addressOf('GET /api/audit/export', { query: { ...filtersOf(search), format } }))}
          />
        )
      })}
    </Menu>
  )
}
