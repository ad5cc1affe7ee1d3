import { useEffect, useState } from 'react'
import { dropFile, type KeptFile, keepFile, listFiles } from '../../ui/draft-files.ts'

/** The photos and files of a report that is not stored yet. They outlive a reload. */
export function usePhotos(key: string) {
  const [files, setFiles] = useState<KeptFile[]>([])
  const [isRead, setRead] = useState(false)
  useEffect(() => {
    let isGone = false
    const show = (kept: KeptFile[]) => {
      if (isGone) return
      setFiles(kept)
      setRead(true)
    }
    listFiles(key).then(show, () => show([]))
    return () => {
      isGone = true
    }
  }, [key])
  return {
    files,
    isRead,
    async add(file: File) {
      // A browser that keeps nothing still has it until the next reload.
      const kept = await keepFile(key, file).catch(() => ({ id: crypto.randomUUID(), file }))
      setFiles(before => [...before, kept])
    },
    /** They are with the service now, or are given up with the report. */
    async drop() {
      setFiles([])
      for (const { id } of files) await dropFile(id).catch(() => undefined)
    },
    async remove(id: string) {
      setFiles(before => before.filter(each => each.id !== id))
      await dropFile(id).catch(() => undefined)
    },
  }
}
