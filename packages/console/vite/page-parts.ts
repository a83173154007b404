/** Which scripts the first page is made of. Many small files compress worse than few, and each costs a request. */
import { join } from 'node:path'

/** As rolldown gives it to a group's name. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

const source = join(import.meta.dirname, '..', 'src')

/** Its index names every icon there is; which of them a page shows is only known later. */
const isIcon = (id: string): boolean => id.includes('/lucide-react/')

/** The modules that are loaded together with `root`, itself included. */
function loadedWith(root: string, modules: Modules): ReadonlySet<string> {
  if (!modules.getModuleInfo(root)) throw new Error(`vite/page-parts.ts names ${root}, which is not there: correct it`)
  const found = new Set([root])
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) if (!isIcon(imported)) found.add(imported)
  return found
}

/**
 * Names the modules of one part of the first page. `start`: what every page needs, and what the login page and the pages
 * behind it share. `sign-in`: the rest of the login page. `inside`: the rest of what every page behind it needs, and what the
 * terminal shares with the pages beside it, which would otherwise be a dozen files of a few lines each. A part takes what its
 * modules import with it, so `start` goes first.
 */
export function firstPagePart(part: 'start' | 'sign-in' | 'inside'): (id: string, modules: Modules) => string | null {
  let wanted: ReadonlySet<string> | undefined
  return (id, modules) => {
    const of = (file: string): ReadonlySet<string> => loadedWith(join(source, file), modules)
    wanted ??= part === 'start' ? start(of) : part === 'sign-in' ? of('screens/login/Login.tsx') : inside(of)
    // A screen's own file comes only with it: some act as soon as they are loaded.
    return wanted.has(id) && !id.includes('/screens/') ? part : null
  }
}

function start(of: (file: string) => ReadonlySet<string>): ReadonlySet<string> {
  const inside = [of('app/PrivateApp.tsx'), of('screens/terminal/Terminal.tsx')]
  const shared = [...of('screens/login/Login.tsx')].filter((id) => inside.some((page) => page.has(id)))
  return new Set([...of('main.tsx'), ...shared])
}

/** Of the screens that people come from to a terminal, or have beside one. */
const besideTerminal = ['servers/Servers', 'sessions/Sessions', 'desktop/DesktopSession', 'sql/SqlConsole']

function inside(of: (file: string) => ReadonlySet<string>): ReadonlySet<string> {
  const others = besideTerminal.map((screen) => of(`screens/${screen}.tsx`))
  const shared = [...of('screens/terminal/Terminal.tsx')].filter((id) => others.some((page) => page.has(id)))
  return new Set([...of('app/PrivateApp.tsx'), ...shared])
}
