import { Download, FileSpreadsheet, FileText } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { save } from '../../ui/save.ts'
import { useWords } from '../../words/index.ts'

interface Props {
  isEmpty: boolean
  /** Of the whole list as it is narrowed and sorted, not only of the page in sight. */
  addressAs: (format: 'csv' | 'xlsx') => string
}

export function Export({ isEmpty, addressAs }: Props) {
  const { documents: w } = useWords()
  if (isEmpty) return null
  return (
    <Menu label={w.export} trigger={<Button icon={<Download size={15} aria-hidden="true" />}>{w.export}</Button>}>
      <MenuItem icon={<FileText size={15} />} onAction={() => save(addressAs('csv'))}>
        {w.exportAs.csv}
      </MenuItem>
      <MenuItem icon={<FileSpreadsheet size={15} />} onAction={() => save(addressAs('xlsx'))}>
        {w.exportAs.xlsx}
      </MenuItem>
    </Menu>
  )
}
