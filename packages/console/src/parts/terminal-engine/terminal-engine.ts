/**
 * The terminal emulator behind one interface of ours, so that screens know neither its library nor its addons.
 * It lives outside React: its element survives a screen that is taken down and put up again.
 */
import '@xterm/xterm/css/xterm.css'
import './terminal-engine.css'
import { FitAddon } from '@xterm/addon-fit'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import { widthProvider } from '@sallyport/protocols/terminal/character-width.ts'
import type { TerminalFinder } from './terminal-finder.ts'
import { drawOnGpu } from './gpu-renderer.ts'
import { OutputQueue } from './output-queue.ts'
import { readTerminalTheme, type FindColours } from './terminal-theme.ts'
import { cleanPaste, cleanTitle, safeLink } from './untrusted-text.ts'

export interface TerminalSize {
  columns: number
  rows: number
}

export interface EngineOptions {
  /** Lines kept above the screen. */
  scrollback: number
  /** Pixels. */
  fontSize: number
  /** Read aloud by screen readers: the terminal keeps a live region of its lines. */
  screenReader: boolean
  /** No input at all: a recording is shown. */
  readOnly?: boolean
  /** Name for assistive technology. */
  label: string
}

export interface EngineEvents {
  /** Keys, pastes and the terminal's own answers to a program's questions. */
  input?: (text: string) => void
  title?: (title: string) => void
  bell?: () => void
  /** Return true to take the key away from the program. */
  key?: (event: KeyboardEvent) => boolean
  /** Text that the viewer is about to paste; nothing is typed until `paste` is called with it. */
  paste?: (text: string) => void
}

export interface TerminalEngine {
  readonly element: HTMLElement
  readonly size: TerminalSize
  readonly output: OutputQueue
  /** Puts the terminal into the page. Resolves when its font is there, so that cells are measured right. */
  mount(container: HTMLElement): Promise<void>
  unmount(): void
  /** The size that fills the container, or undefined while it has none. */
  fittingSize(): TerminalSize | undefined
  resize(size: TerminalSize): void
  setFontSize(pixels: number): void
  setScreenReader(on: boolean): void
  setCursorHidden(hidden: boolean): void
  /** Types a text as if pasted, in brackets when the program asked for them. */
  paste(text: string): void
  selection(): string
  focus(): void
  reset(): void
  clearSelection(): void
  /** Cell size in pixels; undefined before the first mount. */
  cell(): { width: number; height: number } | undefined
  finder(): Promise<TerminalFinder>
  dispose(): void
}

const fontFamily = '"SP Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace'

const openLink = (event: MouseEvent, text: string): void => {
  const address = safeLink(text)
  if (address !== undefined && (event.ctrlKey || event.metaKey)) window.open(address, '_blank', 'noopener,noreferrer')
}

export function createTerminalEngine(options: EngineOptions, events: EngineEvents): TerminalEngine {
  const element = document.createElement('div')
  element.className = options.readOnly ? 'terminal-engine read-only' : 'terminal-engine'
  const terminal = new Terminal({
    allowProposedApi: true, // find marks are drawn through it
    cursorBlink: false,
    cursorStyle: 'block',
    cursorInactiveStyle: options.readOnly ? 'block' : 'outline',
    disableStdin: options.readOnly ?? false,
    fontFamily,
    fontSize: options.fontSize,
    lineHeight: 1,
    fontWeightBold: '600',
    logLevel: 'off', // binary output would write thousands of lines to the browser's console
    linkHandler: { activate: (event, text) => openLink(event, text) },
    minimumContrastRatio: 4.5,
    overviewRuler: { width: 10 },
    screenReaderMode: options.screenReader,
    scrollback: options.scrollback,
  })
  terminal.unicode.register(widthProvider('sallyport'))
  terminal.unicode.activeVersion = 'sallyport'
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.loadAddon(new WebLinksAddon(openLink))
  // A program must neither read nor write the viewer's clipboard.
  terminal.parser.registerOscHandler(52, () => true)
  const output = new OutputQueue(
    (bytes, done) => terminal.write(bytes, done),
    () => document.hidden,
  )
  let find: FindColours = { match: '', active: '', activeText: '', tick: '', activeTick: '' }
  let finding = false
  let opened = false
  let gpu: Disposable | undefined
  let finder: Promise<TerminalFinder> | undefined

  const applyTheme = (): void => {
    const read = readTerminalTheme(document.documentElement)
    find = read.find
    const { active, activeText } = find
    terminal.options.theme = finding ? { ...read.theme, selectionBackground: active, selectionForeground: activeText } : read.theme
  }
  const setFinding = (on: boolean): void => {
    if (on === finding) return
    finding = on
    applyTheme()
  }
  const themeWatch = new MutationObserver(() => {
    applyTheme()
    void finder?.then(({ redraw }) => redraw())
  })

  terminal.onData((text) => events.input?.(text))
  terminal.onBinary((text) => events.input?.(text))
  terminal.onTitleChange((title) => events.title?.(cleanTitle(title)))
  terminal.onBell(() => events.bell?.())
  // A recording takes no key, so that Tab goes on and the page's shortcuts work.
  terminal.attachCustomKeyEventHandler((event) => !(options.readOnly || (events.key?.(event) ?? false)))
  element.addEventListener(
    'paste',
    (event) => {
      event.preventDefault()
      event.stopPropagation()
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (text !== '') events.paste?.(text)
    },
    { capture: true },
  )

  const open = async (): Promise<void> => {
    opened = true
    await Promise.all([
      document.fonts.load(`${options.fontSize}px "SP Mono"`),
      document.fonts.load(`600 ${options.fontSize}px "SP Mono"`),
    ]).catch(() => [])
    applyTheme()
    themeWatch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    terminal.open(element)
    terminal.textarea?.setAttribute('aria-label', options.label)
    if (options.readOnly) showCursor()
    else void drawOnGpu(terminal).then((loaded) => (gpu = loaded))
  }
  /** The emulator draws no cursor before it had the focus once. */
  const showCursor = (): void => {
    const before = document.activeElement
    terminal.focus()
    terminal.blur()
    if (before instanceof HTMLElement) before.focus()
  }
  let opening: Promise<void> | undefined

  return {
    element,
    output,
    get size() {
      return { columns: terminal.cols, rows: terminal.rows }
    },
    mount(container) {
      container.append(element)
      opening ??= open()
      return opening
    },
    unmount: () => element.remove(),
    fittingSize() {
      const size = opened ? fit.proposeDimensions() : undefined
      return size && Number.isFinite(size.cols) && Number.isFinite(size.rows) ? { columns: size.cols, rows: size.rows } : undefined
    },
    resize({ columns, rows }) {
      if (columns !== terminal.cols || rows !== terminal.rows) terminal.resize(columns, rows)
    },
    setFontSize(pixels) {
      terminal.options.fontSize = pixels
    },
    setScreenReader(on) {
      terminal.options.screenReaderMode = on
    },
    setCursorHidden(hidden) {
      terminal.options.cursorInactiveStyle = hidden ? 'none' : 'outline'
      terminal.options.disableStdin = hidden
    },
    paste: (text) => terminal.paste(cleanPaste(text)),
    selection: () => terminal.getSelection(),
    focus: () => terminal.focus(),
    reset: () => terminal.reset(),
    clearSelection: () => terminal.clearSelection(),
    cell() {
      const screen = element.querySelector('.xterm-screen')
      if (!screen) return undefined
      const { width, height } = screen.getBoundingClientRect()
      return width > 0 ? { width: width / terminal.cols, height: height / terminal.rows } : undefined
    },
    finder() {
      finder ??= import('./terminal-finder.ts').then(({ createFinder }) => createFinder(terminal, () => find, setFinding))
      return finder
    },
    dispose() {
      themeWatch.disconnect()
      output.close()
      gpu?.[Symbol.dispose]()
      terminal.dispose()
      element.remove()
    },
  }
}
