import type { JoinRole } from '@sallyport/wire/entities/join-token.ts'

/** What joins with a token, in words. */
const words: Partial<Record<JoinRole, string>> = {
  Node: 'Servers',
  App: 'Applications',
  Db: 'Databases',
  Kube: 'Kubernetes clusters',
  WindowsDesktop: 'Windows desktops',
  Discovery: 'Discovery services',
  Trusted_cluster: 'Trusted clusters',
  Bot: 'Bots',
}
const roleByWords: ReadonlyMap<string, string> = new Map(Object.entries(words).map(([role, text]) => [text, role]))

export const roleWords = (role: string): string => (Object.hasOwn(words, role) ? (words[role as JoinRole] ?? role) : role)
export const roleOf = (text: string): string => roleByWords.get(text) ?? text
/** Those that need nothing else than their name. */
export const roleChoices: readonly string[] = [...roleByWords.keys()].filter((text) => text !== words.Bot)

export const methodWords: Readonly<Record<string, string>> = {
  token: 'Secret token',
  ec2: 'EC2 identity',
  iam: 'AWS IAM',
  azure: 'Azure',
  gcp: 'Google Cloud',
  kubernetes: 'Kubernetes',
  github: 'GitHub Actions',
  gitlab: 'GitLab CI',
  circleci: 'CircleCI',
  tpm: 'TPM',
  spacelift: 'Spacelift',
  terraform_cloud: 'Terraform Cloud',
  bitbucket: 'Bitbucket',
  oracle: 'Oracle Cloud',
}
