/** The token document as the editor knows it, and what a new one starts from. */
import { joinMethods, joinRoles } from '@sallyport/wire/entities/join-token.ts'
import { metadataShape } from '../../parts/documents/role-shape.ts'
import type { Shape } from '../../parts/documents/shape.ts'

const text = (note?: string): Shape => ({ is: 'text', ...(note !== undefined && { note }) })
const labels = (note: string): Shape => ({ note, is: 'named', of: { is: 'list', single: true, of: { is: 'text' } } })
const rules = (note: string): Shape => ({ is: 'any', note })

export const tokenShape: Shape = {
  is: 'map',
  required: ['kind', 'metadata', 'spec'],
  fields: {
    kind: { is: 'text', values: ['token'], only: true },
    version: { is: 'text', values: ['v2'], only: true },
    sub_kind: text(),
    metadata: metadataShape,
    spec: {
      is: 'map',
      required: ['roles'],
      fields: {
        roles: { note: 'What joins with it', is: 'list', single: true, of: { is: 'text', values: joinRoles } },
        join_method: { note: 'How an agent proves that it may join', is: 'text', values: joinMethods, only: true },
        usage_mode: { note: 'Whether the first agent uses it up', is: 'text', values: ['unlimited', 'single_use'], only: true },
        suggested_labels: labels('Labels of everything that joins with it'),
        suggested_agent_matcher_labels: labels('What a database agent that joins looks for'),
        bot_name: text('The bot that joins; for the role Bot'),
        aws_iid_ttl: text('How old an EC2 identity document may be'),
        allow: { note: 'AWS accounts and roles', is: 'list', of: { is: 'any' } },
        github: rules('Repositories and workflows'),
        gitlab: rules('Projects and pipelines'),
        circleci: rules('Organization and contexts'),
        kubernetes: rules('Service accounts'),
        azure: rules('Subscriptions and resource groups'),
        gcp: rules('Projects and service accounts'),
        tpm: rules('Public keys of TPMs'),
        spacelift: rules('Spaces and stacks'),
        terraform_cloud: rules('Organizations and workspaces'),
        bitbucket: rules('Workspaces and repositories'),
        oracle: rules('Tenancies and compartments'),
      },
    },
  },
}

const allowed: Readonly<Record<string, string>> = {
  ec2: '  allow:\n    - aws_account: "123456789012"\n      aws_role: ""\n      aws_regions: []\n',
  iam: '  allow:\n    - aws_account: "123456789012"\n      aws_arn: "arn:aws:sts::123456789012:assumed-role/name/*"\n',
  azure: '  azure:\n    allow:\n      - subscription: ""\n        resource_groups: []\n',
  gcp: '  gcp:\n    allow:\n      - project_ids: []\n        service_accounts: []\n',
  kubernetes: '  kubernetes:\n    type: in_cluster\n    allow:\n      - service_account: "namespace:name"\n',
  github: '  github:\n    allow:\n      - repository: owner/name\n',
  gitlab: '  gitlab:\n    domain: gitlab.com\n    allow:\n      - project_path: group/name\n',
  circleci: '  circleci:\n    organization_id: ""\n    allow:\n      - project_id: ""\n',
}

/** A new document for a method of which the form knows nothing. */
export const templateOf = (method: string, roles: readonly string[]): string =>
  `kind: token\nversion: v2\nmetadata:\n  name: ""\nspec:\n  roles: [${roles.join(', ')}]\n  join_method: ${method}\n${allowed[method] ?? `  ${method}:\n    allow: []\n`}`
