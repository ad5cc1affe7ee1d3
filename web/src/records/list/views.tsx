import { Link, useNavigate } from '@tanstack/react-router'
import { BookmarkPlus, Ellipsis, PenLine, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import type { paths } from '../../app/paths.ts'
import { type SavedView, useListPreferences } from '../../app/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useWords } from '../../words/index.ts'
import styles from './list-page.module.css'

const most = 20
const longestName = 60

/** Pages that are lists. */
export type ListPath = (typeof paths)['documents' | 'deviations' | 'capas' | 'trainingAssignments' | 'users']

interface Props {
  /** Its name in the preferences. */
  list: string
  path: ListPath
  /** What a kept view means for the address. */
  read: (view: string) => object
  /** The list in sight, as a view keeps it. */
  now: string
  /** For everybody. */
  common: SavedView[]
}

/** The list as one looks at it often: some views for everybody, and one's own. */
export function Views({ list, path, read, now, common }: Props) {
  const { lists: w } = useWords()
  const { views: own, isKnown } = useListPreferences(list)
  const [dialog, setDialog] = useState<'save' | 'rename' | 'remove'>()
  const current = own.find(each => each.search === now)
  const isNew = current === undefined && !common.some(each => each.search === now)
  return (
    <nav className={styles.views} aria-label={w.views} data-print="none">
      <ul>
        {[...common, ...own].map(({ name, search: view }) => (
          <li key={`${view} ${name}`}>
            <Link
              to={path}
              search={read(view)}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={view === now ? 'page' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {current && (
        <Menu
          label={w.ofView(current.name)}
          trigger={<Button look="icon" label={w.ofView(current.name)} icon={Ellipsis} />}
        >
          <MenuItem icon={PenLine} name={w.rename} onAction={() => setDialog('rename')} />
          <MenuItem icon={Trash2} name={w.remove} onAction={() => setDialog('remove')} />
        </Menu>
      )}
      {isNew && isKnown && (
        <Button
          look="quiet"
          icon={BookmarkPlus}
          whyNot={own.length >= most ? w.tooMany(most) : undefined}
          onPress={() => setDialog('save')}
        >
          {w.saveView}
        </Button>
      )}
      {(dialog === 'save' || dialog === 'rename') && (
        <NameDialog
          list={list}
          view={{ name: dialog === 'rename' ? current!.name : '', search: now }}
          isNew={dialog === 'save'}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'remove' && current && (
        <RemoveDialog list={list} path={path} view={current} onClose={() => setDialog(undefined)} />
      )}
    </nav>
  )
}

interface DialogProps {
  list: string
  view: SavedView
  onClose: () => void
}

function NameDialog({ list, view, isNew, onClose }: DialogProps & { isNew: boolean }) {
  const { lists: w, common } = useWords()
  const { views, keepViews, error } = useListPreferences(list)
  const [name, setName] = useState(view.name)
  const [wrong, setWrong] = useState<string>()
  const [isPending, setPending] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const chosen = name.trim()
    if (chosen === '') return setWrong(w.nameMissing)
    const others = views.filter(each => isNew || each.name !== view.name)
    if (others.some(each => each.name.toLowerCase() === chosen.toLowerCase())) return setWrong(w.nameTaken)
    const named = { name: chosen, search: view.search }
    setWrong(undefined)
    setPending(true)
    await keepViews(isNew ? [...views, named] : views.map(each => (each.name === view.name ? named : each))).then(
      () => {
        announce(w.saved(chosen))
        onClose()
      },
      () => setPending(false),
    )
  }
  return (
    <Dialog title={isNew ? w.saveView : w.rename} about={isNew ? w.saveHint : view.name} isOpen onClose={onClose}>
      <form onSubmit={event => void submit(event)}>
        <Field
          label={w.name}
          value={name}
          onChange={setName}
          maxLength={longestName}
          isRequired
          autoFocus
          wrong={wrong}
        />
        {error && <Refused error={error} />}
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="main" type="submit" isPending={isPending}>
            {w.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function RemoveDialog({ list, path, view, onClose }: DialogProps & { path: ListPath }) {
  const { lists: w, common } = useWords()
  const { views, keepViews } = useListPreferences(list)
  const navigate = useNavigate()
  const [error, setError] = useState<Problem>()
  const remove = () =>
    keepViews(views.filter(({ name }) => name !== view.name)).then(() => {
      announce(w.removed(view.name))
      onClose()
      void navigate({ to: path, search: {} })
    }, setError)
  return (
    <Dialog title={w.remove} about={view.name} isOpen onClose={onClose}>
      <p>{w.removeHint}</p>
      {error && <Refused error={error} />}
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="danger" onPress={() => void remove()}>
          {w.remove}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
