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

type Of = (file: string) => ReadonlySet<string>

/** A part takes what its modules import with it, so each comes before those that need it. */
const parts = {
  /** What every page needs, and what the login page and the pages behind it share. */
  start,
  /** What the login page shares with the lists. */
  fields: (of: Of) => shared(of('screens/login/Login.tsx'), [of('app/MainPage.tsx'), of('screens/servers/Servers.tsx')]),
  /** The rest of the login page. */
  'sign-in': (of: Of) => of('screens/login/Login.tsx'),
  /**
   * The rest of what every page behind it needs, and what the terminal shares with the pages beside it, which would
   * otherwise be a dozen files of a few lines each.
   */
  inside,
  /** The rest of the frame around most screens. */
  main: (of: Of) => of('app/MainPage.tsx'),
  /** The rest of a list, which most screens are; the first that people see, for one. */
  list: (of: Of) => of('screens/servers/Servers.tsx'),
}

/** In the order in which they are to be made. */
export const firstPageParts = Object.entries(parts).map(([name, pick]) => {
  let wanted: ReadonlySet<string> | undefined
  return (id: string, modules: Modules): string | null => {
    wanted ??= pick((file) => loadedWith(join(source, file), modules))
    // A screen's own file comes only with it: some act as soon as they are loaded.
    return wanted.has(id) && !id.includes('/screens/') ? name : null
  }
})

/** What is in `page` and in one of the others. */
const shared = (page: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set([...page].filter((id) => others.some((other) => other.has(id))))

function start(of: Of): ReadonlySet<string> {
  const inside = [of('app/PrivateApp.tsx'), of('screens/terminal/Terminal.tsx')]
  return new Set([...of('main.tsx'), ...shared(of('screens/login/Login.tsx'), inside)])
}

/** Of the screens that people come from to a terminal, or have beside one. */
const besideTerminal = ['servers/Servers', 'sessions/Sessions', 'desktop/DesktopSession', 'sql/SqlConsole']

function inside(of: Of): ReadonlySet<string> {
  const others = besideTerminal.map((screen) => of(`screens/${screen}.tsx`))
  return new Set([...of('app/PrivateApp.tsx'), ...shared(of('screens/terminal/Terminal.tsx'), others)])
}
