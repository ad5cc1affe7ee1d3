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
    <Menu label={w.export} trigger={<Button icon={Download}>{w.export}</Button>}>
      <MenuItem icon={FileText} name={w.exportAs.csv} onAction={() => save(addressAs('csv'))} />
      <MenuItem icon={FileSpreadsheet} name={w.exportAs.xlsx} onAction={() => save(addressAs('xlsx'))} />
    </Menu>
  )
}
