import { setFlagsFromString } from 'node:v8'

/**
 * Bytes that pass through live in memory outside of the heap, for a moment. V8 would go through its whole heap for every 64 MB
 * of them, in small pieces and on other threads, which costs several times what passing them on does. With this it counts them
 * like its own: they go with its frequent look at what is young, and the whole heap is gone through when all of it has grown.
 * The factor by which they may grow until then is the one that V8 allows its own heap at most.
 */
export function countPassingMemory(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--external-memory-max-growing-factor=4')
}
