/** The script with which an account at Amazon comes to trust the cluster. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configureAwsOidc } from '@sallyport/wire/calls/integrations.ts'
import { iamRoleNamePattern } from '@sallyport/wire/entities/integration.ts'
import { audience, subject } from '../../core/integrations/id-tokens.ts'
import { integrationKind } from '../../core/integrations/integration.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'
import { failingScript, shellScript } from './shell-script.ts'

const configureBody = readFileSync(join(import.meta.dirname, 'awsoidc-idp.sh'), 'utf8')

export function integrationScriptRoutes({ site, clusterName }: { site: Pick<Site, 'origin'>; clusterName: string }): Route[] {
  /** Undefined when both are good. What they hold becomes part of JSON and of tags. */
  function whyNot(integration: string, role: string): string | undefined {
    const { protocol, port } = new URL(site.origin)
    if (protocol !== 'https:' || port !== '')
      return `error, AWS does not trust ${site.origin}: serve this cluster at a public https address on port 443`
    if (integrationKind.whyNotName?.(integration) !== undefined)
      return 'error, the name of an integration is made of letters, digits, dots and dashes'
    return iamRoleNamePattern.test(role) ? undefined : 'error, the name of a role is made of at most 64 letters, digits or + = , . @ _ -'
  }
  return [
    on(configureAwsOidc, async ({ query: { integrationName, role }, reply }): Promise<undefined> => {
      const why = whyNot(integrationName, role)
      const values = { issuer: site.origin, cluster: clusterName, integration: integrationName, role, audience, subject }
      reply.type('text/x-shellscript; charset=utf-8')
      await reply.send(why === undefined ? shellScript(values, configureBody) : failingScript(why))
    }),
  ]
}
