import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { usePublicRoute } from '../../parts/public-route.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { EntryCard } from '../../ui/Card.tsx'
import { wordsOf } from './words.ts'

/** Where an invite or reset link leads. It asks the proxy nothing about the link, so that a preview cannot use it up. */
export function Welcome() {
  const { name, params } = usePublicRoute()
  const words = wordsOf(name)
  const tokenId = params['tokenId'] ?? ''
  const next = routePath(name === 'reset' ? 'resetContinue' : 'inviteContinue', { tokenId })
  return (
    <EntryCard title={words.title} lead={`${words.lead} ${config.proxyCluster}.`} footer={<EntryFooter />}>
      <a className={buttonClass({ kind: 'primary', size: 40, wide: true })} href={next}>
        {words.start}
      </a>
    </EntryCard>
  )
}
