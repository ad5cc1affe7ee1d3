import { FileSpreadsheet, FileText } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { save } from '../../ui/save.ts'
import { useImportWords } from './words.ts'

/** The sheets to fill in. */
export function TemplateMenu() {
  const { list: w } = useImportWords()
  return (
    <Menu label={w.template} trigger={<Button icon={FileSpreadsheet}>{w.template}</Button>}>
      <MenuItem
        icon={FileSpreadsheet}
        name={w.templateAs.xlsx}
        onAction={() => save(addressOf('GET /api/migrations/template.xlsx', {}))}
      />
      <MenuItem
        icon={FileText}
        name={w.templateAs.zip}
        onAction={() => save(addressOf('GET /api/migrations/template.zip', {}))}
      />
    </Menu>
  )
}
