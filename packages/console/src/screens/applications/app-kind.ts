import { schemeOfApp } from '@sallyport/wire/entities/app.ts'
import type { App } from '@sallyport/wire/entities/app.ts'

export type AppKind = 'web' | 'tcp' | 'cloud'

/** How it is used: in the browser, by a program on one's own machine, or through a cloud. */
export function kindOf({ uri, awsConsole }: Pick<App, 'uri' | 'awsConsole'>): AppKind {
  const scheme = schemeOfApp(uri)
  if (awsConsole || scheme === 'cloud') return 'cloud'
  return scheme === 'tcp' ? 'tcp' : 'web'
}
