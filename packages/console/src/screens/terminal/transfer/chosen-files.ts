/** Files out of a drop, a paste or a file field, with the folders that they lay in. */
import type { ChosenFile } from './transfer-queue.ts'

/** More at once is a mistake more often than a wish, and would hold up the page. */
export const chosenLimit = 5000

/** Of a file field; folders tell where their files lay. */
export const chosenOf = (files: FileList | null): ChosenFile[] =>
  [...(files ?? [])].slice(0, chosenLimit).map((file) => ({ file, folder: folderOf(file.webkitRelativePath) }))

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

export const hasFiles = ({ types }: Pick<DataTransfer, 'types'>): boolean => types.includes('Files')

/** Of a drop or a paste, whose folders are walked through. What it holds is only there until the event is over, so it is taken at once. */
export async function droppedFiles(data: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...data.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null))
  const plain = [...data.files]
  // Not every browser tells of entries; the files themselves are there in any case.
  if (entries.every((entry) => entry === null)) return plain.slice(0, chosenLimit).map((file) => ({ file, folder: '' }))
  const found: ChosenFile[] = []
  for (const entry of entries) if (entry) await walk(entry, '', found)
  return found
}

async function walk(entry: FileSystemEntry, folder: string, found: ChosenFile[]): Promise<void> {
  if (found.length >= chosenLimit) return
  if (isFile(entry)) {
    found.push({ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), folder })
    return
  }
  if (!isDirectory(entry)) return
  const reader = entry.createReader()
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
  for (let some = await next(); some.length > 0; some = await next())
    for (const child of some) await walk(child, `${folder}${entry.name}/`, found)
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
