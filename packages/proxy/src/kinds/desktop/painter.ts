/** Draws the picture of one desktop, somewhere else: the proxy's own thread only passes bytes on. */
export interface Painter extends Disposable {
  /** The screen has this size now, and is empty. */
  size(width: number, height: number): void
  /** Bitmap updates of RDP. Resolves when more may come; rejects with ProtocolError, now or at the next call, when they are none. */
  draw(updates: readonly Buffer[]): Promise<void>
  /** Messages with what was drawn since the last time. */
  take(): Promise<Uint8Array[]>
  /** Messages with all of it. */
  whole(): Promise<Uint8Array[]>
}

export interface Painters extends AsyncDisposable {
  open(): Painter
}

/** What the threads are told. `updates` holds the updates one after the other, `lengths` their bytes. */
export type PaintJob =
  | { kind: 'size'; screen: number; width: number; height: number }
  | { kind: 'draw'; screen: number; id: number; updates: Uint8Array<ArrayBuffer>; lengths: number[] }
  | { kind: 'take' | 'whole'; screen: number; id: number }
  | { kind: 'close'; screen: number }

/** What they answer. */
export type Painted = { id: number; messages: Uint8Array<ArrayBuffer>[] } | { id: number; code?: string; error: string }
