import { useNavigate } from '@tanstack/react-router'
import {
  FileCheck,
  FileText,
  FileUp,
  GraduationCap,
  Languages,
  LogOut,
  type LucideIcon,
  Moon,
  Sun,
  TextSearch,
  TriangleAlert,
  User,
} from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
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
import { usePreferences } from '../../app/preferences.ts'
import { Snippet } from '../../ui/snippet.tsx'
import { markedIn } from '../../ui/snippet-pieces.ts'
import { Status } from '../../ui/status.tsx'
import { useWords } from '../../words/index.ts'
import { logOut, useMe } from '../session/session.ts'
import { type FoundRecord, useFound } from './find.ts'
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
  icon: LucideIcon
  label: string
  detail?: string
  status?: string
  /** A piece of text below the label. */
  snippet?: string
  /** Why it leads nowhere. */
  whyNot?: string
  go?: () => void
}

const icons: Record<FoundRecord['kind'], LucideIcon> = {
  document: FileText,
  deviation: TriangleAlert,
  capa: FileCheck,
  training_program: GraduationCap,
  user: User,
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
    // What is found comes after what is typed: a line that is chosen by itself would be another one by then, or none.
    <Autocomplete inputValue={text} onInputChange={setText} disableAutoFocusFirst>
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
          const go = entries.get(String(id))?.go
          if (!go) return
          onDone()
          go()
        }}
      >
        {section => (
          <MenuSection id={section.id}>
            <Header>{section.title}</Header>
            <Collection items={section.entries}>
              {entry => (
                <MenuItem
                  id={entry.id}
                  textValue={[entry.label, entry.detail, entry.whyNot].filter(each => each).join(', ')}
                  className={styles.item!}
                >
                  <entry.icon size={15} aria-hidden="true" />
                  <span className={styles.label}>
                    {entry.label}
                    {entry.snippet && (
                      <small>
                        <Snippet of={entry.snippet} />
                      </small>
                    )}
                  </span>
                  {entry.whyNot && <span className="visually-hidden">{entry.whyNot}</span>}
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
  const { palette: w, found: f, shell, session, upload } = useWords()
  const { permissions } = useMe()
  const navigate = useNavigate()
  const { language, prefer } = usePreferences()
  const { records, passages, isSearching } = useFound(text)

  const named = records.map(
    ({ kind, id, page, number, title, status }): Entry => ({
      id: `${kind} ${id}`,
      icon: icons[kind],
      label: title,
      detail: kind === 'document' ? number : `${f.kinds[kind]} · ${number}`,
      status,
      go: () => void navigate({ to: page }),
    }),
  )
  const inText = passages.map(
    ({ document_id: id, number, title, status, version, page, snippet }): Entry => ({
      id: `text of ${id}`,
      icon: TextSearch,
      label: title,
      detail: number,
      status,
      ...(snippet !== null && { snippet }),
      go: () =>
        void navigate({
          to: '/documents/$id',
          params: { id },
          search: {
            version,
            ...(page !== null && { page }),
            ...(snippet !== null && { mark: markedIn(snippet) }),
          },
        }),
    }),
  )
  const searchText: Entry[] = permissions.includes('search.use')
    ? [
        {
          id: 'search texts',
          icon: TextSearch,
          label: text === '' ? f.searchTexts : f.searchTextsFor(text),
          go: () => void navigate({ to: '/search', search: text === '' ? {} : { q: text } }),
        },
      ]
    : []
  const go: Entry[] = areasOf(permissions)
    .flat()
    .map(({ name, path, icon }) => ({
      id: `area ${name}`,
      icon,
      label: shell.areas[name],
      go: () => void navigate({ to: path }),
    }))
  const commands: Entry[] = [
    ...(permissions.includes('documents.create')
      ? [{ id: 'upload', icon: FileUp, label: upload.title, go: () => void navigate({ to: paths.newDocument }) }]
      : []),
    { id: 'dark', icon: Moon, label: w.dark, go: () => prefer({ theme: 'dark' }) },
    { id: 'light', icon: Sun, label: w.light, go: () => prefer({ theme: 'light' }) },
    {
      id: 'language',
      icon: Languages,
      label: shell.language,
      go: () => prefer({ language: language === 'de' ? 'en' : 'de' }),
    },
    { id: 'out', icon: LogOut, label: session.logOut, go: () => void logOut() },
  ]
  const matches = ({ label }: Entry) => label.toLowerCase().includes(text.toLowerCase())
  const sections = [
    { id: 'records', title: f.records, entries: named },
    { id: 'texts', title: f.inTexts, entries: inText },
    { id: 'go', title: w.go, entries: text === '' ? [...go, ...searchText] : go.filter(matches) },
    { id: 'commands', title: w.commands, entries: commands.filter(matches) },
  ].filter(({ entries }) => entries.length > 0)
  // Where texts have more than is listed, or nothing else is there; and not before the answers, which would move it from under the focus.
  if (text !== '' && !isSearching && (inText.length > 0 || sections.length === 0) && searchText.length > 0)
    sections.push({ id: 'further', title: f.furtherSearch, entries: searchText })
  return { sections, isSearching }
}
