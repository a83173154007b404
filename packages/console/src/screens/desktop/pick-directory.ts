/** Asks the person for a directory of this machine. Undefined when they took none. */
export async function pickDirectory(): Promise<FileSystemDirectoryHandle | { problem: string } | undefined> {
  const { showDirectoryPicker } = window as Picking
  if (!showDirectoryPicker)
    return { problem: 'This browser cannot share a directory. Chrome, Edge, Opera and other browsers that are built on Chromium can.' }
  try {
    return await showDirectoryPicker.call(window, { id: 'desktop', mode: 'readwrite' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    return { problem: 'The browser did not give access to the directory. Choose another one, or allow it in the settings of the site.' }
  }
}

/** Only some browsers have it, and no types. */
type Picking = { showDirectoryPicker?: (options: { id: string; mode: 'readwrite' }) => Promise<FileSystemDirectoryHandle> }
