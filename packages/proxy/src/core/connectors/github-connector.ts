/** GitHub, or a GitHub Enterprise server, as documents. */
import { z } from 'zod'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { connectorTexts, line, maxMappings, optionalLine, roleList, secret } from './connector-fields.ts'
import { browserUrl, providerUrl } from './urls.ts'

const list = z
  .array(line)
  .max(100)
  .nullish()
  .transform((values) => values ?? [])
const team = { organization: line.min(1, 'give the organization'), team: line.min(1, 'give the team') }

const githubSpec = z
  .strictObject({
    client_id: optionalLine,
    client_secret: secret,
    redirect_url: browserUrl.default(''),
    display: optionalLine,
    endpoint_url: providerUrl.default(''),
    api_endpoint_url: providerUrl.default(''),
    teams_to_roles: z
      .array(z.strictObject({ ...team, roles: roleList }))
      .max(maxMappings)
      .nullish()
      .transform((mappings) => mappings ?? []),
    /** Superseded by teams_to_roles: its `logins` name roles as well. */
    teams_to_logins: z
      .array(z.strictObject({ ...team, logins: list, kubernetes_groups: list, kubernetes_users: list }))
      .max(maxMappings)
      .nullish()
      .transform((mappings) => mappings ?? []),
  })
  .superRefine((spec, context) => {
    if (spec.teams_to_roles.length + spec.teams_to_logins.length === 0)
      context.addIssue({ code: 'custom', path: ['teams_to_roles'], message: 'map at least one team to roles' })
  })

export type GithubSpec = z.output<typeof githubSpec>
export type GithubConnector = Resource<GithubSpec>
export type GithubStore = ResourceStore<GithubSpec, z.input<typeof githubSpec>>

export const githubKind: ResourceKind<GithubSpec, z.input<typeof githubSpec>> = {
  kind: 'github',
  versions: ['v3'],
  spec: () => githubSpec,
  ...connectorTexts,
}
