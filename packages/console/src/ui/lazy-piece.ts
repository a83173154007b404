import { lazy, type ComponentType, type LazyExoticComponent } from 'react'

/** Pauses before further tries (ms); the last one is taken again and again. */
const pauses = [500, 1000, 2000, 4000, 8000]

/**
 * A piece of a screen that is fetched when it is first shown. While the proxy cannot be reached the piece is missing and
 * tried again: what is on the screen already, such as a terminal, must not be lost for it.
 */
export const lazyPiece = <P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => ({ default: await loadPiece(load) }))

export async function loadPiece<T>(load: () => Promise<T>, pause: (ms: number) => Promise<void> = sleep): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load()
    } catch {
      await pause(pauses[Math.min(attempt, pauses.length - 1)] ?? 0) // the connection broke, or a new version has replaced the file
    }
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
