import { useNavigate } from '@tanstack/react-router'
import { FileText, FileUp, Languages, LogOut, Moon, Sun } from 'lucide-react'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { areasOf } from '../../app/areas.ts'
import { paths } from '../../app/paths.ts'
import { wear } from '../../app/theme.ts'
import { Status } from '../../ui/status.tsx'
import { speak, useLanguage, useWords } from '../../words/index.ts'
import { logOut, useMe } from '../session/session.ts'
import { useFound } from './find.ts'
import styles from './palette.module.css'

const listeners = new Set<() => void>()
let isOpen = false
function set(next: boolean) {
  isOpen = next
  for (const each of listeners) each()
}
export const openPalette = () => set(true)

interface Entry {
  id: string
  icon: ReactNode
  label: string
  detail?: string
  status?: string
  go: () => void
}

/** Ctrl K or ⌘ K, from everywhere: an area, a record by what it says, or a command. */
export function Palette() {
  const { palette: w } = useWords()
  const open = useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.shiftKey || event.altKey || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      set(!isOpen)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <ModalOverlay className={styles.scrim!} isOpen={open} onOpenChange={set} isDismissable>
      <Modal className={styles.frame!}>
        <Dialog aria-label={w.title} className={styles.dialog!}>
          <Choices onDone={() => set(false)} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Choices({ onDone }: { onDone: () => void }) {
  const { palette: w } = useWords()
  const [text, setText] = useState('')
  const { sections, isSearching } = useSections(text.trim())
  const entries = new Map(sections.flatMap(section => section.entries.map(each => [each.id, each])))
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      {/* A search field would take the first Escape to empty itself. */}
      <div
        onKeyDownCapture={event => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onDone()
        }}
      >
        <SearchField aria-label={w.placeholder} autoFocus className={styles.search!}>
          <Input placeholder={w.placeholder} />
        </SearchField>
      </div>
      <Menu
        aria-label={w.title}
        className={styles.list!}
        items={sections}
        renderEmptyState={() => <p className={styles.none}>{isSearching ? w.searching : w.none}</p>}
        onAction={id => {
          onDone()
          entries.get(String(id))?.go()
        }}
      >
        {section => (
          <MenuSection id={section.id}>
            <Header>{section.title}</Header>
            <Collection items={section.entries}>
              {entry => (
                <MenuItem id={entry.id} textValue={entry.label} className={styles.item!}>
                  {entry.icon}
                  <span className={styles.label}>{entry.label}</span>
                  {entry.detail && <span className={styles.detail}>{entry.detail}</span>}
                  {entry.status && <Status of={entry.status} size="s" />}
                </MenuItem>
              )}
            </Collection>
          </MenuSection>
        )}
      </Menu>
      <p className={styles.hint}>{w.hint}</p>
    </Autocomplete>
  )
}

function useSections(text: string) {
  const { palette: w, shell, session, upload } = useWords()
  const { permissions } = useMe()
  const navigate = useNavigate()
  const language = useLanguage()
  const { found, isSearching } = useFound(text)

  const records: Entry[] = found.map(({ page, number, title, status }) => ({
    id: page,
    icon: <FileText size={15} aria-hidden="true" />,
    label: title,
    detail: number,
    status,
    go: () => void navigate({ to: page }),
  }))
  const go: Entry[] = areasOf(permissions)
    .flat()
    .map(({ name, path, icon: Icon }) => ({
      id: `area ${name}`,
      icon: <Icon size={15} aria-hidden="true" />,
      label: shell.areas[name],
      go: () => void navigate({ to: path }),
    }))
  const commands: Entry[] = [
    ...(permissions.includes('documents.create')
      ? [
          {
            id: 'upload',
            icon: <FileUp size={15} aria-hidden="true" />,
            label: upload.title,
            go: () => void navigate({ to: paths.newDocument }),
          },
        ]
      : []),
    { id: 'dark', icon: <Moon size={15} aria-hidden="true" />, label: w.dark, go: () => wear('dark') },
    { id: 'light', icon: <Sun size={15} aria-hidden="true" />, label: w.light, go: () => wear('light') },
    {
      id: 'language',
      icon: <Languages size={15} aria-hidden="true" />,
      label: shell.language,
      go: () => speak(language === 'de' ? 'en' : 'de'),
    },
    { id: 'out', icon: <LogOut size={15} aria-hidden="true" />, label: session.logOut, go: () => void logOut() },
  ]
  const matches = ({ label }: Entry) => label.toLowerCase().includes(text.toLowerCase())
  const sections = [
    { id: 'documents', title: w.documents, entries: records },
    { id: 'go', title: w.go, entries: go.filter(matches) },
    { id: 'commands', title: w.commands, entries: commands.filter(matches) },
  ].filter(({ entries }) => entries.length > 0)
  return { sections, isSearching }
}
