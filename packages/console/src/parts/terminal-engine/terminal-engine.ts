/**
 * The terminal emulator behind one interface of ours, so that screens know neither its library nor its addons.
 * It lives outside React: its element survives a screen that is taken down and put up again.
 */
import '@xterm/xterm/css/xterm.css'
import './terminal-engine.css'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { widthProvider } from '@sallyport/protocols/terminal/character-width.ts'
import type { TerminalFinder } from './terminal-finder.ts'
import { drawOnGpu } from './gpu-renderer.ts'
import { OutputQueue } from './output-queue.ts'
import { isOwnReport, watchAnswers } from './terminal-answers.ts'
import { readTerminalTheme, wearTheme, type FindColours, type TerminalThemeName } from './terminal-theme.ts'
import { cleanPaste, cleanTitle } from './untrusted-text.ts'

export interface TerminalSize {
  columns: number
  rows: number
}

/** What a viewer can change while the terminal runs. */
export interface EngineLook {
  /** Lines kept above the screen. */
  scrollback: number
  /** Pixels. */
  fontSize: number
  /** Read aloud by screen readers: the terminal keeps a live region of its lines. */
  screenReader: boolean
  theme: TerminalThemeName
  /** A font of the viewer's computer; empty for the console's own. */
  font: string
  /** The bell lights the edges up. */
  bell: boolean
}

export const plainLook: EngineLook = { scrollback: 1000, fontSize: 13, screenReader: false, theme: 'page', font: '', bell: false }

export interface EngineOptions extends EngineLook {
  /** No input at all: a recording is shown. */
  readOnly?: boolean
  /** Name for assistive technology. */
  label: string
}

export interface EngineEvents {
  /**
   * Bytes for the program. `own` are the terminal's answers to questions and its reports of pointer and focus: they
   * concern this screen alone.
   */
  input?: (text: string, own: boolean) => void
  title?: (title: string) => void
  bell?: () => void
  /** Return true to take the key away from the program. */
  key?: (event: KeyboardEvent) => boolean
  /** Text that the viewer is about to paste; nothing is typed until `paste` is called with it. */
  paste?: (text: string) => void
  /** The viewer has marked a piece of the output. */
  select?: (text: string) => void
  /** The other mouse button. Return true to take it away from the browser's menu. */
  contextMenu?: () => boolean
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
  configure(look: EngineLook): void
  setFontSize(pixels: number): void
  setCursorHidden(hidden: boolean): void
  /** Types a text as if pasted, in brackets when the program asked for them. */
  paste(text: string): void
  selection(): string
  /** Everything that is kept of the output, as plain lines. */
  text(): string
  focus(): void
  reset(): void
  clearSelection(): void
  /** Cell size in pixels; undefined before the first mount. */
  cell(): { width: number; height: number } | undefined
  finder(): Promise<TerminalFinder>
  dispose(): void
}

const fontFamily = '"SP Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace'

/** Binary output rings thousands of times; the edges light up no more often than this (ms). */
const bellEvery = 1000

/** The name becomes part of a style sheet, so only letters, digits, spaces and hyphens of it count. */
const fontsOf = (name: string): string => {
  const plain = name.replaceAll(/[^\p{L}\p{N} -]/gu, '').trim()
  return plain === '' ? fontFamily : `"${plain}", ${fontFamily}`
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
    fontFamily: fontsOf(options.font),
    fontSize: options.fontSize,
    lineHeight: 1,
    fontWeightBold: '600',
    logLevel: 'off', // binary output would write thousands of lines to the browser's console
    minimumContrastRatio: 4.5,
    overviewRuler: { width: 10 },
    screenReaderMode: options.screenReader,
    scrollback: options.scrollback,
  })
  terminal.unicode.register(widthProvider('sallyport'))
  terminal.unicode.activeVersion = 'sallyport'
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  // A program must neither read nor write the viewer's clipboard.
  terminal.parser.registerOscHandler(52, () => true)
  const answers = watchAnswers(terminal.parser)
  const output = new OutputQueue((bytes, done) => terminal.write(bytes, done), { hidden: () => document.hidden })
  let look: EngineLook = options
  let find: FindColours = { match: '', active: '', activeText: '', tick: '', activeTick: '' }
  let finding = false
  let rung = -Infinity
  let opened = false
  let gpu: Disposable | undefined
  let finder: Promise<TerminalFinder> | undefined

  const applyTheme = (): void => {
    wearTheme(element, look.theme)
    if (!element.isConnected) return // nothing has a colour there; mounting asks again
    const read = readTerminalTheme(element)
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

  terminal.onData((text) => {
    const answer = answers.isAnswering()
    if (!answer || answers.mayAnswer(text)) events.input?.(text, answer || isOwnReport(text))
  })
  terminal.onBinary((text) => events.input?.(text, true))
  terminal.onTitleChange((title) => events.title?.(cleanTitle(title)))
  terminal.onBell(() => {
    events.bell?.()
    const now = performance.now()
    if (!look.bell || now - rung < bellEvery || !element.isConnected) return
    rung = now
    element.classList.add('rung')
  })
  // Links need a pointer; without one nothing is fetched for them, and without them the terminal is complete.
  const linkUp = (): void =>
    void import('./terminal-links.ts').then(
      ({ linkOutput }) => linkOutput(terminal, element),
      () => undefined,
    )
  element.addEventListener('pointermove', linkUp, { once: true })
  element.addEventListener('animationend', () => element.classList.remove('rung'))
  terminal.onSelectionChange(() => {
    if (!finding && terminal.hasSelection()) events.select?.(terminal.getSelection())
  })
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
  element.addEventListener(
    'contextmenu',
    (event) => {
      if (!events.contextMenu?.()) return
      event.preventDefault()
      event.stopPropagation()
    },
    { capture: true },
  )

  const open = async (): Promise<void> => {
    opened = true
    await Promise.all([document.fonts.load(`${look.fontSize}px "SP Mono"`), document.fonts.load(`600 ${look.fontSize}px "SP Mono"`)]).catch(
      () => [],
    )
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
      if (opening) applyTheme()
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
    configure(next) {
      look = next
      terminal.options.fontSize = next.fontSize
      terminal.options.fontFamily = fontsOf(next.font)
      terminal.options.scrollback = next.scrollback
      terminal.options.screenReaderMode = next.screenReader
      applyTheme()
    },
    setFontSize(pixels) {
      terminal.options.fontSize = pixels
    },
    setCursorHidden(hidden) {
      terminal.options.cursorInactiveStyle = hidden ? 'none' : 'outline'
      terminal.options.disableStdin = hidden
    },
    paste(text) {
      const clean = cleanPaste(text)
      terminal.input(terminal.modes.bracketedPasteMode ? `\u001b[200~${clean}\u001b[201~` : clean)
    },
    selection: () => terminal.getSelection(),
    text() {
      const { active } = terminal.buffer
      const lines: string[] = []
      for (let row = 0; row < active.length; row += 1) {
        const line = active.getLine(row)
        if (line?.isWrapped) lines.push((lines.pop() ?? '') + line.translateToString(true))
        else lines.push(line?.translateToString(true) ?? '')
      }
      return `${lines.join('\n').trimEnd()}\n`
    },
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
