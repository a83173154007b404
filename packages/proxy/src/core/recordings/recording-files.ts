/** Where the files of recordings lie below their directory (format.ts says what is in them). */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const recordingEnding = '.rec'
/** What lies beside a recording, all of it named after the session. */
export const besideEndings = ['.idx', '.seal', '.key'] as const

export interface RecordingFiles {
  recording: string
  /** Chunk headers. */
  index: string
  /** The cluster's signature, once the recording is finished. */
  seal: string
  /** Key frames, once they were made. */
  keyFrames: string
}

const sidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
export const isSid = (text: string): boolean => sidForm.test(text)

export interface RecordingPlaces {
  open(sid: string): RecordingFiles
  closed(sid: string): RecordingFiles
  /** Sids of the recordings in `open`. */
  openSids(): Promise<string[]>
  /** Sids of the recordings in `closed`. */
  closedSids(): Promise<string[]>
}

export function recordingPlaces(directory: string): RecordingPlaces {
  const filesIn = (folder: string, sid: string): RecordingFiles => {
    const file = (ending: string): string => join(directory, folder, `${sid}${ending}`)
    return { recording: file(recordingEnding), index: file('.idx'), seal: file('.seal'), keyFrames: file('.key') }
  }
  const sidsIn = async (folder: string): Promise<string[]> =>
    ((await readdir(join(directory, folder)).catch(unlessAbsent)) ?? [])
      .filter((name) => name.endsWith(recordingEnding))
      .map((name) => name.slice(0, -recordingEnding.length))
      .filter(isSid)
  return {
    open: (sid) => filesIn('open', sid),
    closed: (sid) => filesIn(join('closed', sid.slice(0, 2)), sid),
    openSids: () => sidsIn('open'),
    async closedSids() {
      const folders = (await readdir(join(directory, 'closed')).catch(unlessAbsent)) ?? []
      const sids: string[] = []
      for (const folder of folders) sids.push(...(await sidsIn(join('closed', folder))))
      return sids
    },
  }
}

export function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
