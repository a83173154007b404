import { use, useState } from 'react'
import type { ComponentType, ReactNode } from 'react'

/** A chunk of the bundle that could not be loaded: most often a new version has replaced it. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError'
  /** Path of the file that failed, when the browser named it. */
  readonly path: string
  constructor(path: string, options?: ErrorOptions) {
    super(`Unable to preload CSS for ${path}`, options)
    this.path = path
  }
}

/** Browsers and the bundler's loader name the file in their messages, each in its own words. */
export function toChunkError(cause: unknown): ChunkError {
  const message = cause instanceof Error ? cause.message : String(cause)
  const address = /(?:https?:\/\/[^\s/]+)?(\/[^\s'"?]+)/.exec(message)
  return new ChunkError(address?.[1] ?? 'this page', { cause })
}

export interface Screen {
  (): ReactNode
  /** Loads the chunk ahead of rendering. Rejects with ChunkError; only a later call tries again. */
  preload(): Promise<void>
}

/** A screen in a chunk of its own. */
export function lazyScreen(load: () => Promise<ComponentType>): Screen {
  let loaded: ComponentType | undefined
  let loading: Promise<ComponentType> | undefined
  let failed = false
  // A failure is kept: rendering asks again and again, and only `preload` may lead to another try.
  const component = (): Promise<ComponentType> =>
    (loading ??= load().then(
      (arrived) => (loaded = arrived),
      (cause: unknown) => {
        failed = true
        throw toChunkError(cause)
      },
    ))
  const preload = async (): Promise<void> => {
    if (failed) loading = undefined
    failed = false
    await component()
  }
  const Awaited = (): ReactNode => {
    const Arrived = use(component())
    return <Arrived />
  }
  // What is there already renders at once: whoever waits for the screen's heading finds it after the first commit.
  const LazyScreen = (): ReactNode => {
    const [Loaded] = useState(() => loaded)
    return Loaded ? <Loaded /> : <Awaited />
  }
  return Object.assign(LazyScreen, { preload })
}
