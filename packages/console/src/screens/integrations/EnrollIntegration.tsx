import { ArrowLeft } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { usePlace } from '../../parts/place.tsx'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { EnrollAws } from './EnrollAws.tsx'
import { EnrollPlugin } from './EnrollPlugin.tsx'
import { isPluginKind, tileOf } from './kinds.ts'
import { Tiles } from './Tiles.tsx'

const rightOf = {
  integrations: { things: 'integrations', rule: 'integration: create' },
  plugins: { things: 'plugins', rule: 'plugin: create' },
} as const

/** What to connect, or the way to connect what is named in the address. */
export function EnrollIntegration() {
  const { acl } = useUserContext()
  const type = usePlace().match?.params['type']
  const tile = tileOf(type)
  if (tile && acl[tile.area].create) return isPluginKind(tile.type) ? <EnrollPlugin key={tile.type} kind={tile.type} /> : <EnrollAws />
  const lacking = tile ? rightOf[tile.area] : acl.integrations.create || acl.plugins.create ? undefined : rightOf.integrations
  return (
    <>
      <PageHead title="Enroll new integration">
        {(acl.integrations.list || acl.plugins.list) && (
          <RouteLink className={buttonClass({})} to={routePath('integrations')}>
            <Icon of={ArrowLeft} />
            All integrations
          </RouteLink>
        )}
      </PageHead>
      {type !== undefined && !tile && (
        <Alert kind="warn" title={`There is no integration of the type ${type} here.`}>
          Choose one of these.
        </Alert>
      )}
      {lacking && (
        <Alert kind="info" title={`You need permission to create ${lacking.things}.`} live={false}>
          Ask for <span className="mono">{lacking.rule}</span>
        </Alert>
      )}
      <Tiles />
    </>
  )
}
