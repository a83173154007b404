/** Files on servers. */
import type { Problem } from './problem.ts'

export const filePath = (path: string): Problem => (path.trim() === '' || path.endsWith('/') ? 'Enter a file path' : undefined)

export const folder = (path: string): Problem => (path.trim() === '' ? 'Enter a folder' : undefined)
