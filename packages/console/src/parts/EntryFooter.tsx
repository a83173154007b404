import { Moon, Sun } from 'lucide-react'
import { Suspense, use } from 'react'
import { ping } from '@sallyport/wire/calls/bootstrap.ts'
import { config, request } from '../api/page.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { StatusGlyph } from '../ui/StatusGlyph.tsx'
import { useTheme } from '../ui/use-theme.ts'

// Asked once, when the first entry screen comes in. Without an answer the line says what the page itself knows.
const proxy = request(ping).catch(() => undefined)

/** The line under an entry card: which cluster this is, whether it answers, and the theme. */
export function EntryFooter() {
  const theme = useTheme()
  return (
    <>
      <Suspense fallback={<span className="mono">{config.proxyCluster}</span>}>
        <ProxyLine />
      </Suspense>
      <span className="grow" />
      <IconButton
        icon={theme.name === 'dark' ? Sun : Moon}
        label={theme.name === 'dark' ? 'Use light theme' : 'Use dark theme'}
        onClick={theme.toggle}
      />
    </>
  )
}

function ProxyLine() {
  const answer = use(proxy)
  return (
    <>
      <span className="row">
        <StatusGlyph status={answer ? 'ok' : 'off'} label={answer ? 'online' : 'not reachable'} />
        <span className="mono">{answer?.cluster_name || config.proxyCluster}</span>
      </span>
      {answer && <span className="muted">{answer.server_version}</span>}
    </>
  )
}
