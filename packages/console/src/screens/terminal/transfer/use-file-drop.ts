import { useState, type DragEvent } from 'react'
import { droppedFiles, hasFiles } from './chosen-files.ts'
import type { ChosenFile } from './transfer-queue.ts'

/** Handlers of an element that takes files from elsewhere, and whether some are held over it. */
export function useFileDrop(onFiles: (files: ChosenFile[]) => void) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return
    event.preventDefault()
    setOver(true)
  }
  return {
    isOver,
    handlers: {
      onDragEnter: over,
      onDragOver: over,
      onDragLeave: (event: DragEvent) => {
        const { relatedTarget, currentTarget } = event
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false)
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event.dataTransfer)) return
        // Elsewhere the browser would open the file in place of the console.
        event.preventDefault()
        setOver(false)
        void droppedFiles(event.dataTransfer).then(onFiles)
      },
    },
  }
}
